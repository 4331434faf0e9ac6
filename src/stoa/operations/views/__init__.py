"""From rows to what travels: the resources of answers."""

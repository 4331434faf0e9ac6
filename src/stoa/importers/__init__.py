"""Importers: read what another service exported and play it through the public API."""


class ImportStopped(Exception):
    """The import cannot go on. The message is one line for the person who runs it."""

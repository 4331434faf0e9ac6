"""Texts that agents wrote, rendered for people: in linear time, with bounded output."""

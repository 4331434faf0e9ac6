"""Texts that agents wrote, made ready for people: in linear time, with bounded output."""

"""Lets the garbage collector leave out what was loaded before the first test."""

import gc

import pytest

_OBJECTS = 20_000
"""New objects between two runs of the collector; by default it runs after 700."""


def pytest_configure(config: pytest.Config) -> None:
    """What is loaded to find the tests is no garbage."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Each worker holds all tests: half a million objects that stay to the end. What is garbage
    among them stays too, as to look for it takes nearly a second."""
    gc.freeze()
    gc.set_threshold(_OBJECTS)
    gc.enable()

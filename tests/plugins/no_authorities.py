"""Trusts no certificate authority: tests speak plain HTTP with this machine.

A client of httpx reads every certificate of the system when it is made, which takes longer than
most tests.
"""

import os
from pathlib import Path

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Before the first client is made, in this process or in one that a test starts."""
    os.environ.pop("SSL_CERT_FILE", None)
    os.environ["SSL_CERT_DIR"] = str(Path(__file__).parent)  # in which there are none

"""`python -m stoa`."""

from stoa.cli.main import run

run()

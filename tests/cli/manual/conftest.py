"""The documentation as a site, made once for the tests of its pages and those in a browser."""

import pytest

from stoa.cli.manual.site import build
from stoa.web.manual.pages import folder


@pytest.fixture(scope="session")
def site() -> dict[str, bytes]:
    """Its files, by their paths."""
    return build(folder())

"""Contract tests run on every engine, and on the embedded one once more without memory."""

import pytest

from tests.conftest import ENGINES
from tests.support.forgetting import WITHOUT_MEMORY


@pytest.fixture(params=[*ENGINES, WITHOUT_MEMORY])
def engine(request: pytest.FixtureRequest) -> str:
    """Every engine in turn, and the embedded one without memory."""
    return "sqlite" if request.param == WITHOUT_MEMORY else request.param

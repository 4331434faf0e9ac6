"""The types of what can be earned."""

from typing import get_args

from stoa.operations.opportunities import SUBJECTS
from stoa.schemas.opportunities import OpportunityType


def test_every_type_of_opportunity_says_how_it_is_read_and_shown() -> None:
    assert set(SUBJECTS) == set(get_args(OpportunityType))

"""The line that names the source of an imported text, which is left out of what is searched."""

import pytest

from stoa.domain.attributions import attribution, without_attribution

LINE = attribution("[tea.example.org/q/7](https://tea.example.org/q/7)", "Ann", "CC BY-SA 4.0")


@pytest.mark.parametrize("added", ["", "\nMore of it.", "\n\nMore.\nAnd more."])
def test_the_line_is_left_out_and_what_stands_before_and_behind_it_stays(added: str) -> None:
    assert without_attribution(f"A text.\n\n---\n\nWith a rule.{LINE}{added}") == (
        f"A text.\n\n---\n\nWith a rule.{added}"
    )


@pytest.mark.parametrize(
    "text",
    [
        "A text.",
        f"A text.{LINE} No line of its own.",
        LINE.strip(),
        LINE[:-1],
        LINE.replace(" by ", "\n"),
    ],
)
def test_what_is_not_the_line_stays(text: str) -> None:
    assert without_attribution(text) == text

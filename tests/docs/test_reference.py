"""The pages of the reference are those that the code gives."""

import re
from functools import cache
from pathlib import Path

from stoa.domain.errors import CATALOGUE
from stoa.operations.catalog import all_operations
from stoa.settings import environment_name, kinds
from tools.docs import BLOCKS, REFERENCE, ROOT, files

PAGES = sorted(path for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])


def test_the_reference_is_not_stale() -> None:
    stale = [path.name for path, text in files().items() if path.read_text("utf-8") != text]
    assert stale == [], "run make docs"


def test_no_page_of_the_reference_is_left_over() -> None:
    assert {*REFERENCE.iterdir(), BLOCKS} == files().keys()


def test_every_operation_code_and_setting_has_its_place() -> None:
    operations = (REFERENCE / "operations.md").read_text("utf-8")
    assert [one.name for one in all_operations() if f"\n### {one.name}\n" not in operations] == []
    errors = (REFERENCE / "errors.md").read_text("utf-8")
    assert [code for code in CATALOGUE if f"\n## {code}\n" not in errors] == []
    settings = (REFERENCE / "settings.md").read_text("utf-8")
    assert [name for name in kinds() if f"`{environment_name(name)}`" not in settings] == []


def test_every_link_of_a_page_leads_somewhere() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(text)):
            if not target.startswith(("http://", "https://", "mailto:")):
                _check(page, target)


def _check(page: Path, target: str) -> None:
    name, _, place = target.partition("#")
    file = (page.parent / name).resolve() if name else page
    assert file.exists(), target
    if place:
        assert place in _places(file), target


@cache
def _places(file: Path) -> set[str]:
    """The anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", _without_code(file.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)

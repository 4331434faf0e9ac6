"""The statements that the page on backups gives to an operator who restores PostgreSQL by replaying
its log."""

import re

from tests.support.app import App
from tests.support.clock import SECOND
from tools.docs import ROOT


def end_all(app: App) -> None:
    """Carry out what the page says, a second from now."""
    page = (ROOT / "docs/operating/keep.md").read_text("utf-8")
    statements = re.findall(r'--command="([^"]+)"', page)
    assert len(statements) > 3
    for statement in statements:
        app.sql(statement.replace("now()", f"to_timestamp({app.clock() / SECOND + 1})"))

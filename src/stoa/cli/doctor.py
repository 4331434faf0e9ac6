"""`stoa doctor`: check all that an operator can set up wrongly."""

from typing import TYPE_CHECKING

import typer

from stoa.cli import database
from stoa.cli.options import ConfigFile, DatabaseUrl, DataDir, JsonOption, echo_json
from stoa.settings import SettingsError

if TYPE_CHECKING:
    from stoa.cli.check_result import CheckResult

_FAILED = 1


def doctor(
    data_dir: DataDir = None,
    database_url: DatabaseUrl = None,
    config: ConfigFile = None,
    as_json: JsonOption = False,
) -> None:
    """Check settings, secrets, files, disk, database, audit, address, proxy, Valkey and backups.

    Each line is ok, warn or fail, with what to do. Run it as the user of the service; it may run
    beside a server and changes nothing. Exit status 1 when anything fails.
    """
    from stoa.cli.check_result import CheckStatus
    from stoa.cli.checks import check_all, wrong_settings

    address = None
    try:
        named = database.chosen(config, data_dir, database_url)
        address = named.address
        found = [
            check._replace(remedy=check.remedy and named.hint(check.remedy))
            for check in check_all(named, config)
        ]
    except SettingsError as error:
        found = [wrong_settings(error)]
    if as_json:
        checks = [check._asdict() for check in found]
        echo_json({"database": address, "checks": checks})
    else:
        typer.echo(f"database: {address or 'not known'}")
        _print(found)
    if any(check.status is CheckStatus.FAIL for check in found):
        raise typer.Exit(_FAILED)


def _print(found: "list[CheckResult]") -> None:
    width = max(len(check.name) for check in found)
    for check in found:
        typer.echo(f"{check.status:4}  {check.name:{width}}  {check.detail}")
        if check.remedy:
            typer.echo(f"      {'':{width}}  -> {check.remedy}")

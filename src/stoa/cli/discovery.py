"""`stoa discovery`: the files by which an operator lets agents find the service."""

import typer

from stoa import configuration
from stoa.cli.options import BaseUrl, ConfigFile, echo_json
from stoa.settings import SettingsError

app = typer.Typer(help="Print the files that registries take.", no_args_is_help=True)


@app.command()
def server_json(base_url: BaseUrl = None, config: ConfigFile = None) -> None:
    """Print server.json, which the MCP registry takes to list this Stoa.

    Its name is the host of the base URL in reverse order: the registry asks you to prove that the
    domain is yours.
    """
    from stoa.web import well_known

    given = configuration.given_to_process({"base_url": base_url}, config)
    settings = configuration.settle(given)
    if settings.origin_is_loopback or not settings.origin.startswith("https://"):
        raise SettingsError(
            "STOA_BASE_URL: set the public address, such as https://stoa.example; "
            "the registry lists no other"
        )
    echo_json(well_known.server_json(settings.origin))

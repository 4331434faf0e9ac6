"""The database of a command: one rule for every command that names one."""

import re
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self

import typer

from stoa import configuration
from stoa.cli.options import (
    ConfigFile,
    DatabaseUrl,
    DataDir,
    JsonOption,
    SharedOptions,
    echo_json,
    with_shared,
)
from stoa.configuration import Given, masked
from stoa.settings import Settings, SettingsError, environment_name
from stoa.store.tx import StartRefused

if TYPE_CHECKING:
    from stoa.store.engines import Engine

P = ParamSpec("P")

OPTIONS: SharedOptions = {
    "data_dir": (DataDir, None),
    "database_url": (DatabaseUrl, None),
    "config": (ConfigFile, None),
    "as_json": (JsonOption, False),
}
"""The options of a command on one database, which `DatabaseRun.opened` takes."""

_OF_SERVING = ("workers", "read_database_url")
"""Settings of a server, which need not match the database that a command names."""

_PASSED_OVER = (
    "--data-dir {0} and {1} name different databases: leave out --data-dir, or give "
    "--database-url sqlite:///{0}/stoa.db instead"
)
_TWO = "{} and {} name different databases: leave out one of them"
_HINTED = re.compile(r"\bstoa (admin [a-z-]+|audit|backup|migrate|restore)\b(?!` makes)")
"""A command that a message names for the same database; what `stoa migrate` makes is another."""


@dataclass(frozen=True, slots=True)
class NamedDatabase:
    """A database, `named_by` (the flag, variable or line of a file that names it) and the `options`
    of the command, as a shell reads them."""

    settings: Settings
    named_by: str
    options: str

    @property
    def address(self) -> str:
        """Its whole address, without a password."""
        if self.settings.engine == "postgresql":
            return masked(self.settings.database_url)
        return f"sqlite:///{self.settings.database_path.resolve()}"

    @property
    def engine(self) -> "Engine":
        """The engine that opens it."""
        from stoa.store.engines import engine_of

        return engine_of(self.settings)

    def same_as(self, other: "NamedDatabase") -> bool:
        """Whether both name one database."""
        one, another = self.settings, other.settings
        if "postgresql" in (one.engine, another.engine):
            return one.database_url == another.database_url
        return one.database_path.resolve() == another.database_path.resolve()

    def hint(self, message: str) -> str:
        """The message; each command in it that works on a database names this one."""
        return _HINTED.sub(lambda found: found[0] + self.options, message)

    @contextmanager
    def refusing(self) -> Generator[None]:
        """Raise each `StartRefused` so that it says what to change."""
        try:
            yield
        except StartRefused as error:
            variable = environment_name("database_url")
            said = self.hint(str(error).replace(variable, self.named_by))
            raise StartRefused(said) from None


@dataclass
class DatabaseRun:
    """One run of a command on the database that its options name."""

    named: NamedDatabase
    as_json: bool

    @classmethod
    @contextmanager
    def opened(
        cls, data_dir: str | None, database_url: str | None, config: Path | None, as_json: bool
    ) -> Generator[Self]:
        """The run with these options. Raises SettingsError."""
        yield cls(chosen(config, data_dir, database_url), as_json)

    def say_where(self) -> None:
        """Print which database it is, unless JSON is asked for, which has that too."""
        if not self.as_json:
            typer.echo(f"database: {self.named.address}")

    def say_next(self, message: str) -> None:
        """Print what to do next."""
        typer.echo(self.named.hint(message))

    def tell(self, **told: object) -> None:
        """Print the result as JSON."""
        echo_json({"database": self.named.address, **told})


def on_database(command: Callable[Concatenate[DatabaseRun, P], None]) -> Callable[..., None]:
    """Give a command the options of its database, as a DatabaseRun."""
    return with_shared(command, DatabaseRun.opened, OPTIONS)


def chosen(
    config: Path | None,
    data_dir: str | None,
    database_url: str | None,
    url_flag: str = "--database-url",
) -> NamedDatabase:
    """The database that these flags name or, without any, the settings of this process.

    Raises SettingsError when two of them name different ones, or when `data_dir` would be passed
    over because a database address is given anywhere.
    """
    flags = _flags(data_dir, database_url, url_flag)
    given = configuration.given_to_process({}, config) | flags
    if data_dir is not None and "database_url" in given:
        raise SettingsError(_PASSED_OVER.format(data_dir, given["database_url"].place))
    database = _settled(given, config, data_dir, database_url)
    in_config = configuration.given({}, {}, config) if config else {}
    if database.settings.engine == "postgresql" and not flags and "database_url" not in in_config:
        return database  # a folder of data is that of the search index then, as for the server
    if _names_database(in_config) and not database.same_as(other := _settled(in_config)):
        raise SettingsError(_TWO.format(database.named_by, other.named_by))
    return database


def in_file(config: Path) -> NamedDatabase:
    """The database that a file names, without flags and variables. Raises SettingsError."""
    given = configuration.given({}, {}, config)
    if not _names_database(given):
        raise SettingsError(f"{config} names no database: give it a line database_url or data_dir")
    return _settled(given, config)


def at(url: str, named_by: str) -> NamedDatabase:
    """The database at an address. Raises SettingsError."""
    given = {"database_url": Given(_filled(url, named_by), "flag", named_by)}
    return _settled(given, database_url=url)


def _flags(data_dir: str | None, database_url: str | None, url_flag: str) -> dict[str, Given]:
    named = {"data_dir": (data_dir, "--data-dir"), "database_url": (database_url, url_flag)}
    return {
        name: Given(_filled(value, flag), "flag", flag)
        for name, (value, flag) in named.items()
        if value is not None
    }


def _options(config: Path | None, data_dir: str | None, database_url: str | None) -> str:
    address = None if database_url is None else masked(database_url)
    given = {"--config": config, "--data-dir": data_dir, "--database-url": address}
    return "".join(f" {name} {quote(str(value))}" for name, value in given.items() if value)


def _filled(value: str, named_by: str) -> str:
    if not value.strip():
        raise SettingsError(f"{named_by} is empty: name a database")
    return value


def _settled(
    given: Mapping[str, Given],
    config: Path | None = None,
    data_dir: str | None = None,
    database_url: str | None = None,
) -> NamedDatabase:
    kept = {name: value for name, value in given.items() if name not in _OF_SERVING}
    options = _options(config, data_dir, database_url)
    return NamedDatabase(configuration.settle(kept), _named_by(given), options)


def _named_by(given: Mapping[str, Given]) -> str:
    for name in ("database_url", "data_dir"):
        if name in given:
            return given[name].place
    return "the default data folder"


def _names_database(given: Mapping[str, Given]) -> bool:
    return not given.keys().isdisjoint(("database_url", "data_dir"))

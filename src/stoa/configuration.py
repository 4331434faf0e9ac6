"""Reads settings from their sources: flag, then environment `STOA_*`, then `stoa.toml`.

The environment can also name a file that has the value: `STOA_…_FILE`, or a systemd credential.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote

import msgspec

from stoa.settings import (
    PREFIX,
    Settings,
    SettingsError,
    environment_name,
    kinds,
)
from stoa.settings_checks import check, mistakes

FILE = Path("stoa.toml")
COPY_TARGET = "STOA_COPY_TO"
"""The variable that names the database which `stoa copy` copies to."""
IN_FILE = "_FILE"
"""Behind the name of a variable: the variable names the file that has the value."""
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""The variable in which systemd names the folder of a service's credentials."""
NOT_SETTINGS = frozenset({"STOA_TEST_DATA", COPY_TARGET, COPY_TARGET + IN_FILE})
"""Names of the environment that other parts of the project use."""

# Kubernetes sets these in every container beside a Service named `stoa`, or `stoa-…`.
_SERVICE = re.compile(
    r"STOA_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)"
)
_SERVICE_PORT = re.compile(r"STOA_(\w+_)?PORT")
_SERVICE_URL = re.compile(r"(tcp|udp|sctp)://")


class Given(NamedTuple):
    """A value as an operator gave it; `place` is what to look at in order to change it, and `file`
    the file that holds it, if one does."""

    value: Any
    source: Literal["flag", "environment", "file"]
    place: str
    file: Path | None = None


def given(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> dict[str, Given]:
    """What was given, by setting; where one was given twice, the one that counts.

    `file` must exist; without one `stoa.toml` is read if there is one. A flag that is None and an
    empty variable count as not given. Raises SettingsError, also when the environment gives one
    value in two ways.
    """
    found: list[SettingsError] = []
    values = _gathered(flags, environment, file, found)
    for mistake in found:
        raise mistake
    return values


def all_mistakes(file: Path | None = None) -> list[str]:
    """All that is wrong in a file and in the environment of this process, each as one line."""
    found: list[SettingsError] = []
    values = _gathered({}, os.environ, file, found)
    usable: dict[str, Any] = {}
    for name, value in values.items():
        try:
            usable[name] = _converted(name, value)
        except SettingsError as error:
            found.append(error)
    settings = Settings(**usable)
    apart = [*map(str, mistakes(settings)), *_folder_mistakes(settings)]
    return [*map(str, found), *(_where_given(one, values) for one in apart)]


def _folder_mistakes(settings: Settings) -> list[str]:
    """What a start would refuse when it opens the embedded database."""
    folder = settings.database_path.parent
    if settings.engine != "sqlite" or not folder.is_file():
        return []
    variable = environment_name("database_url" if settings.database_url else "data_dir")
    return [f"{variable}: {folder} is a file; name a folder"]


def _gathered(
    flags: Mapping[str, Any],
    environment: Mapping[str, str],
    file: Path | None,
    wrong: list[SettingsError],
) -> dict[str, Given]:
    """What was given and can be used; what cannot is added to the mistakes."""
    in_variables = _from_environment(environment, wrong)
    in_credentials = _from_credentials(environment, wrong)
    wrong += [
        _two(in_variables[name].place, in_credentials[name].place)
        for name in in_variables.keys() & in_credentials.keys()
    ]
    return {
        **_from_file(file or FILE, wrong, required=file is not None),
        **in_credentials,
        **in_variables,
        **{
            name: Given(value, "flag", f"--{name.replace('_', '-')}")
            for name, value in flags.items()
            if value is not None
        },
    }


def settle(values: Mapping[str, Given]) -> Settings:
    """The settings that follow from what was given. Raises SettingsError with one clear line."""
    settings = Settings(**{name: _converted(name, value) for name, value in values.items()})
    try:
        check(settings)
    except SettingsError as error:
        raise SettingsError(_where_given(str(error), values)) from None
    return settings


def given_to_process(flags: Mapping[str, Any], file: Path | None = None) -> dict[str, Given]:
    """What was given to this process, as `given` tells it."""
    return given(flags, os.environ, file)


def from_process(flags: Mapping[str, Any], file: Path | None = None) -> Settings:
    """The settings of this process."""
    return settle(given_to_process(flags, file))


def copy_target() -> str | None:
    """The address that this process was given to copy a database to, None without one. Raises
    SettingsError."""
    text, path = (os.environ.get(name, "").strip() for name in (COPY_TARGET, COPY_TARGET + IN_FILE))
    if text and path:
        raise _two(COPY_TARGET, COPY_TARGET + IN_FILE)
    return _text_of(Path(path), COPY_TARGET + IN_FILE) if path else text or None


def for_programs() -> dict[str, str]:
    """The environment that other programs are run with: no settings, some of which are secret."""
    return {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}


def notify_address() -> str | None:
    """Where systemd wants to be told how this service is (`sd_notify`), None without it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    return f"\0{address[1:]}" if address[:1] == "@" else address or None


def inherited_sockets() -> int:
    """How many sockets systemd has opened for this process, from descriptor 3 on. Raises
    SettingsError."""
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return 0
    count = os.environ.get("LISTEN_FDS", "")
    if not count.isdecimal():
        raise SettingsError("LISTEN_FDS is not a number: it is set by systemd")
    return int(count)


_PARAMETER = re.compile(r"([?&])([^?&=]*)=(.*?)(?=[?&][^?&=]+=|$)", re.DOTALL)


def masked(value: object) -> str:
    """A value as text that may be shown: without the passwords of an address, which stand before
    the host or in the query. Where an @ leaves open which it is, more is hidden."""
    text = str(value)
    scheme, separator, rest = text.partition("://")
    hidden = _PARAMETER.sub(_hidden, rest)
    before, at, host = hidden.rpartition("@")
    name, colon, _ = (before if at else hidden).partition(":")
    if separator and colon and "@" in rest:
        return f"{scheme}://{name}:***{at}{host if at else ''}"
    return scheme + separator + hidden


def _hidden(found: re.Match[str]) -> str:
    before, name, _ = found.groups()
    return f"{before}{name}=***" if "pass" in unquote(name).lower() else found[0]


def _from_file(path: Path, wrong: list[SettingsError], *, required: bool) -> dict[str, Given]:
    try:
        # Editors on Windows put a byte order mark in front, which this encoding takes away.
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not required:
            return {}
        other = "" if required else "; run this in another folder, or name the file with --config"
        wrong.append(SettingsError(f"cannot read {path}: {error.strerror}{other}"))
        return {}
    except ValueError as error:
        wrong.append(SettingsError(f"{path} is not TOML: {error}"))
        return {}
    wrong += [
        SettingsError(f"{path}: {_unknown(name, value)}")
        for name, value in values.items()
        if name not in Settings.__struct_fields__
    ]
    return {
        name: Given(value, "file", f"{path}: {name}", path)
        for name, value in values.items()
        if name in Settings.__struct_fields__
    }


def _unknown(name: str, value: object) -> str:
    if isinstance(value, dict):
        return f"unknown table [{name}]: write all settings at the top of the file, in no table"
    return f"unknown setting {name}{_near(name)}"


def _from_environment(
    environment: Mapping[str, str], wrong: list[SettingsError]
) -> dict[str, Given]:
    values: dict[str, Given] = {}
    for name, text in environment.items():
        if name in NOT_SETTINGS or _of_kubernetes(name, text):
            continue
        if name.startswith(PREFIX):
            try:
                _add_variable(values, name, text.strip())
            except SettingsError as error:
                wrong.append(error)
    return values


def _add_variable(values: dict[str, Given], name: str, text: str) -> None:
    variable = name.removesuffix(IN_FILE)
    setting = variable.removeprefix(PREFIX).lower()
    if setting not in Settings.__struct_fields__ or variable != environment_name(setting):
        raise SettingsError(f"unknown setting {name}{_near(setting, environment=True)}")
    if not text:
        return
    if setting in values:
        raise _two(variable, variable + IN_FILE)
    file = None if name == variable else Path(text)
    value = _text_of(file, name) if file else text
    values[setting] = Given(value, "environment", name, file)


def _from_credentials(
    environment: Mapping[str, str], wrong: list[SettingsError]
) -> dict[str, Given]:
    """The settings whose names are names of credentials; other credentials are of no concern."""
    folder = environment.get(CREDENTIALS, "").strip()
    if not folder:
        return {}
    values: dict[str, Given] = {}
    for name in Settings.__struct_fields__:
        path, place = Path(folder) / name, f"the credential {name}"
        if path.exists():
            try:
                values[name] = Given(_text_of(path, place), "environment", place, path)
            except SettingsError as error:
                wrong.append(error)
    return values


def _text_of(path: Path, named_by: str) -> str:
    """The text of a file that has one value. Raises SettingsError, which does not repeat it."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except OSError as error:
        raise SettingsError(f"{named_by}: cannot read {path}: {error.strerror}") from None
    except ValueError:
        raise SettingsError(f"{named_by}: {path} is not UTF-8") from None
    if not text:
        raise SettingsError(f"{named_by}: {path} is empty")
    return text


def _two(one: str, other: str) -> SettingsError:
    return SettingsError(f"{one} and {other} are both given: leave out one of them")


def _of_kubernetes(name: str, text: str) -> bool:
    is_port = _SERVICE_PORT.fullmatch(name) and _SERVICE_URL.match(text)
    return bool(is_port or _SERVICE.fullmatch(name))


def _where_given(message: str, values: Mapping[str, Given]) -> str:
    """A message in which each setting that was given is named by the place to change it."""
    places = {environment_name(name): value.place for name, value in values.items()}
    return _VARIABLE.sub(lambda found: places.get(found[0], found[0]), message)


_VARIABLE = re.compile(rf"\b{PREFIX}[A-Z_]+\b")


def _near(name: str, *, environment: bool = False) -> str:
    import difflib

    given, known = name.lower(), Settings.__struct_fields__
    begun = [one for one in known if one.startswith(given)]
    meant = difflib.get_close_matches(given, known, 1)
    if begun and not {*begun} & {*meant}:  # `limit_reads` is two, none of them `limit_threads`
        meant = begun
    if not meant:
        return "; `stoa docs settings` lists the settings"
    return f"; did you mean {' or '.join(map(environment_name, meant) if environment else meant)}?"


def _converted(name: str, given: Given) -> Any:
    kind = kinds()[name]
    value = given.value
    if isinstance(value, str) and kind.is_list:
        value = [part.strip() for part in value.split(",") if part.strip()]
    try:
        return msgspec.convert(value, kind.type, strict=False)
    except msgspec.ValidationError:
        in_file = given.source == "environment" and given.place != environment_name(name)
        told = "" if in_file else f" (given: {masked(given.value)})"  # a file may hold any secret
        raise SettingsError(f"{given.place}: use {kind.values}{told}") from None

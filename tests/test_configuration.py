"""Where settings come from, what goes before what, and how mistakes are told."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from stoa.configuration import CREDENTIALS, given, masked, settle
from stoa.settings import Settings, SettingsError, environment_name, kinds


def load(
    flags: Mapping[str, Any], environment: Mapping[str, str], path: Path | None = None
) -> Settings:
    return settle(given(flags, environment, path))


def file(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refused(environment: dict[str, str], path: Path | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load({}, environment, path)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_flag_goes_before_a_variable_and_a_variable_before_the_file(tmp_path: Path):
    path = file(tmp_path, 'port = 1\nworkers = 1\nlog_level = "error"\n')
    environment = {"STOA_PORT": "2", "STOA_LOG_LEVEL": "debug"}
    settings = load({"port": 3, "host": None}, environment, path)
    assert (settings.port, settings.log_level, settings.host) == (3, "debug", "127.0.0.1")


def test_each_value_is_known_with_the_place_to_change_it(tmp_path: Path):
    path = file(tmp_path, "workers = 1\nsweep_seconds = 5\n")
    values = given({"data_dir": "x"}, {"STOA_PORT": "2", "STOA_WORKERS": "1", "HOME": "/"}, path)
    assert {name: (value.source, value.place) for name, value in values.items()} == {
        "data_dir": ("flag", "--data-dir"),
        "port": ("environment", "STOA_PORT"),
        "workers": ("environment", "STOA_WORKERS"),
        "sweep_seconds": ("file", f"{path}: sweep_seconds"),
    }


def test_stoa_toml_is_read_where_the_program_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert load({}, {}).port == 8080
    (tmp_path / "stoa.toml").write_text("port = 99\n", encoding="utf-8")
    assert load({}, {}).port == 99


def test_a_list_may_be_text_with_commas(tmp_path: Path):
    path = file(tmp_path, 'allowed_hosts = ["a.example", "b.example"]\n')
    environment = {"STOA_TRUSTED_PROXIES": "10.0.0.1, 10.0.0.2,"}
    settings = load({}, environment, path)
    assert settings.allowed_hosts == ["a.example", "b.example"]
    assert settings.trusted_proxies == ["10.0.0.1", "10.0.0.2"]


def test_an_empty_variable_counts_as_not_given():
    assert load({}, {"STOA_PORT": "", "STOA_BASE_URL": " "}).port == 8080


@pytest.mark.parametrize("text", ["signup_grant = 12.34", 'signup_grant = "12.34"'])
def test_amounts_are_read_exactly(tmp_path: Path, text: str):
    assert load({}, {}, file(tmp_path, text)).signup_grant == Decimal("12.34")


def test_an_unknown_variable_stops_the_start_and_names_the_near_one():
    assert refused({"STOA_PROT": "1"}) == "unknown setting STOA_PROT; did you mean STOA_PORT?"
    assert refused({"STOA_port": "1"}) == "unknown setting STOA_port; did you mean STOA_PORT?"
    reads = "STOA_LIMIT_READS_ANONYMOUS or STOA_LIMIT_READS_AGENT"
    assert refused({"STOA_LIMIT_READS": "1"}).endswith(f"; did you mean {reads}?")
    assert refused({"STOA_SIGNUP": "1"}).endswith("; did you mean STOA_SIGNUPS?")
    assert "`stoa docs settings`" in refused({"STOA_ZZZZZZZZ": "1"})


SERVICES = {
    "STOA_SERVICE_HOST": "10.96.0.7",
    "STOA_SERVICE_PORT": "8080",
    "STOA_SERVICE_PORT_HTTP": "8080",
    "STOA_PORT": "tcp://10.96.0.7:8080",
    "STOA_PORT_8080_TCP": "tcp://10.96.0.7:8080",
    "STOA_PORT_8080_TCP_PROTO": "tcp",
    "STOA_PORT_8080_TCP_PORT": "8080",
    "STOA_PORT_8080_TCP_ADDR": "10.96.0.7",
    "STOA_PORT_53_UDP": "udp://10.96.0.7:53",
    "STOA_VALKEY_SERVICE_HOST": "10.96.0.8",
    "STOA_VALKEY_PORT": "tcp://10.96.0.8:6379",
    "STOA_VALKEY_PORT_6379_TCP_ADDR": "10.96.0.8",
}
"""What Kubernetes sets beside Services named `stoa` and `stoa-valkey`."""


def test_the_variables_that_kubernetes_sets_beside_a_service_are_passed_over():
    assert load({}, SERVICES) == load({}, {})
    assert load({}, SERVICES | {"STOA_VALKEY_URL": "redis://db"}).valkey_url == "redis://db"
    assert load({}, SERVICES | {"STOA_PORT": "9000"}).port == 9000


@pytest.mark.parametrize(
    "name",
    ["STOA_SERVICE", "STOA_SERVICE_HOSTS", "STOA_PORTS", "STOA_PORT_TCP", "STOA_PORT_8080_TCP_X"],
)
def test_what_only_looks_like_them_stops_the_start(name: str):
    assert refused({name: "tcp://10.96.0.7:8080"}).startswith(f"unknown setting {name}")


def test_a_port_that_is_no_address_of_a_service_stops_the_start():
    assert "a whole number" in refused({"STOA_PORT": "http://10.96.0.7:8080"})
    assert refused({"STOA_VALKEY_PORT": "6379"}).startswith("unknown setting STOA_VALKEY_PORT")


def test_an_unknown_name_in_the_file_stops_the_start(tmp_path: Path):
    path = file(tmp_path, "[server]\nport = 1\n")
    assert refused({}, path).startswith(f"{path}: unknown table [server]: write all settings at")
    path = file(tmp_path, "prot = 1\n")
    assert refused({}, path) == f"{path}: unknown setting prot; did you mean port?"


WRONG = [
    ("STOA_PORT", "65536", "a whole number from 0 to 65535"),
    ("STOA_PORT", "-1", "a whole number from 0 to 65535"),
    ("STOA_PORT", "80_80", "a whole number from 0 to 65535"),
    ("STOA_PORT", "٨٠", "a whole number from 0 to 65535"),
    ("STOA_PORT", "8080.5", "a whole number from 0 to 65535"),
    ("STOA_LIMIT_READS_AGENT", "many", "a whole number from 0 to 1000000000"),
    ("STOA_LIMIT_REGISTRATIONS", "-1", "a whole number from 0 to 1000000000"),
    ("STOA_TOKEN_TTL_SECONDS", "0", "a whole number from 1 to 10000000"),
    ("STOA_SIGNUP_GRANT", "a lot", "a number with at most two decimals"),
    ("STOA_LOG_LEVEL", "loud", "one of debug, error, info, warning"),
]


@pytest.mark.parametrize(("name", "text", "wanted"), WRONG)
def test_a_wrong_value_is_told_with_what_may_be_given(name: str, text: str, wanted: str):
    assert refused({name: text}) == f"{name}: use {wanted} (given: {text})"


ANY_TEXT = {"host", "allowed_hosts", "data_dir", "backup_dir"}
"""Settings that only show to be wrong where they are used."""


def test_no_other_setting_takes_a_text_that_means_nothing():
    for name in kinds().keys() - ANY_TEXT:
        variable = environment_name(name)
        assert refused({variable: "no such thing"}).startswith(f"{variable}: ")
        assert load({}, {variable: " "}) == Settings()


def test_a_wrong_value_from_a_file_is_not_repeated(tmp_path: Path):
    (tmp_path / "port").write_text("a password", encoding="utf-8")
    for place in ({"STOA_PORT_FILE": str(tmp_path / "port")}, {CREDENTIALS: str(tmp_path)}):
        assert refused(place).endswith(": use a whole number from 0 to 65535")


def test_a_wrong_value_in_the_file_is_told_with_its_place(tmp_path: Path):
    path = file(tmp_path, "port = true\n")
    expected = f"{path}: port: use a whole number from 0 to 65535 (given: True)"
    assert refused({}, path) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base_url = "nowhere"', "base_url: use an address such as"),
        ('database_url = "mysql://x/y"', "database_url: use postgresql://"),
        ('database_url = "sqlite:///"', "database_url names no file"),
        ('trusted_proxies = ["x"]', "trusted_proxies: "),
        ("signup_grant = -1", "signup_grant: use a number from 0"),
        ("workers = 2", "workers: the embedded database"),
    ],
)
def test_a_setting_of_the_file_that_cannot_be_is_named_as_it_stands_there(
    tmp_path: Path, text: str, said: str
):
    path = file(tmp_path, f"{text}\n")
    assert refused({}, path).startswith(f"{path}: {said}")


def test_a_setting_is_named_by_where_the_value_in_force_was_given(tmp_path: Path):
    path = file(tmp_path, 'base_url = "nowhere"\n')
    assert refused({"STOA_BASE_URL": "nowhere"}, path).startswith("STOA_BASE_URL: use")
    with pytest.raises(SettingsError, match=r"^--base-url: use"):
        load({"base_url": "nowhere"}, {}, path)
    # One that was not given has the name of its variable.
    assert refused({"STOA_HOST": "192.0.2.1"}).startswith("STOA_BASE_URL must be set")


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path):
    path = tmp_path / "stoa.toml"
    path.write_bytes(b"\xef\xbb\xbfport = 99\r\n")
    assert load({}, {}, path).port == 99
    (tmp_path / "port").write_bytes(b"\xef\xbb\xbf98\r\n")
    assert load({}, {"STOA_PORT_FILE": str(tmp_path / "port")}).port == 98


def test_a_file_that_was_named_must_be_there_and_be_toml(tmp_path: Path):
    missing = tmp_path / "missing.toml"
    assert refused({}, missing) == f"cannot read {missing}: No such file or directory"
    path = file(tmp_path, "port: 1\n")
    assert refused({}, path).startswith(f"{path} is not TOML: ")
    assert refused({}, tmp_path) == f"cannot read {tmp_path}: Is a directory"


def test_passwords_of_addresses_are_masked():
    assert masked("postgresql://stoa:se:cr@et@db:5432/x") == "postgresql://stoa:***@db:5432/x"
    assert masked("https://stoa.example/@me:x") == "https://stoa.example/@me:x"
    assert masked("redis://:secret@db:6379/0") == "redis://:***@db:6379/0"
    assert masked("redis://db") == "redis://db"
    assert masked(12) == "12"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://db/x?user=u&password=S3cret", "postgresql://db/x?user=u&password=***"),
        (
            "postgresql://db/x?password=S3cret&sslmode=require",
            "postgresql://db/x?password=***&sslmode=require",
        ),
        (
            "postgresql://u:S3@db/x?password=S3&sslpassword=S3",
            "postgresql://u:***@db/x?password=***&sslpassword=***",
        ),
        ("postgresql://db/x?p%61ssword=S3cret", "postgresql://db/x?p%61ssword=***"),
        ("postgresql://db/x?password=S3&S3", "postgresql://db/x?password=***"),
        ("postgresql://db/x?password=My@S3cret", "postgresql://db/x?password=***"),
        ("postgresql://db:1/x?user=u&password=My@S3cret", "postgresql://db:***"),
        ("postgresql://u:S3?password=S3@db/x", "postgresql://u:***"),
        ("redis://db:6379/0?password=S3cret", "redis://db:6379/0?password=***"),
    ],
)
def test_passwords_in_the_query_of_an_address_are_masked(address: str, shown: str):
    assert masked(address) == shown


@pytest.mark.promise("B5")
def test_any_setting_can_come_from_a_file_or_a_credential(tmp_path: Path):
    (tmp_path / "url").write_text(" postgresql://u:secret@h/d\n", encoding="utf-8")
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "valkey_url").write_text("redis://h:1/0\n", encoding="utf-8")
    (tmp_path / "credentials" / "another").write_text("of something else", encoding="utf-8")
    environment = {
        "STOA_DATABASE_URL_FILE": str(tmp_path / "url"),
        "CREDENTIALS_DIRECTORY": str(tmp_path / "credentials"),
    }
    values = given({}, environment)
    assert {name: (value.value, value.place) for name, value in values.items()} == {
        "database_url": ("postgresql://u:secret@h/d", "STOA_DATABASE_URL_FILE"),
        "valkey_url": ("redis://h:1/0", "the credential valkey_url"),
    }
    path = file(tmp_path, 'database_url = "sqlite:///x"\n')
    assert load({}, environment, path).engine == "postgresql"


def test_a_value_that_is_given_in_two_ways_is_refused_and_not_repeated(tmp_path: Path):
    (tmp_path / "database_url").write_text("postgresql://u:secret@h/d", encoding="utf-8")
    in_file = {"STOA_DATABASE_URL_FILE": str(tmp_path / "database_url")}
    in_credentials = {"CREDENTIALS_DIRECTORY": str(tmp_path)}
    in_variable = {"STOA_DATABASE_URL": "postgresql://u:secret@h/d"}
    ways = (in_file, in_credentials, in_variable)
    for one, other in ((0, 1), (0, 2), (1, 2), (2, 0)):
        message = refused(ways[one] | ways[other])
        assert "are both given: leave out one of them" in message
        assert "DATABASE_URL" in message
        assert "secret" not in message
    for each in ways:
        assert load({}, each).engine == "postgresql"


@pytest.mark.parametrize(
    ("text", "said"), [(None, "cannot read"), (b"", "is empty"), (b"\xff", "is not UTF-8")]
)
def test_a_file_that_has_no_value_stops_the_start(tmp_path: Path, text: bytes | None, said: str):
    path = tmp_path / "url"
    if text is not None:
        path.write_bytes(text)
    message = refused({"STOA_VALKEY_URL_FILE": str(path)})
    assert message.startswith("STOA_VALKEY_URL_FILE: ")
    assert said in message


def test_an_unknown_setting_in_a_file_is_named(tmp_path: Path):
    message = refused({"STOA_DATABSE_URL_FILE": str(tmp_path / "url")})
    assert "unknown setting STOA_DATABSE_URL_FILE; did you mean STOA_DATABASE_URL?" in message

"""Settings: what each is, and what they must agree with."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import asdict

from stoa.settings import Settings, SettingsError, environment_name, kinds
from stoa.settings_checks import check


def test_the_defaults_agree_with_each_other():
    check(Settings())


def test_every_setting_says_what_it_is_for_and_what_may_be_given():
    assert list(kinds()) == list(Settings.__struct_fields__)
    for name, kind in kinds().items():
        assert kind.description.endswith("."), name
        assert kind.values, name


def test_the_defaults_of_the_limits_are_the_published_ones():
    found = {name: value for name, value in asdict(Settings()).items() if name.startswith("limit_")}
    assert found == {
        "limit_reads_anonymous": 120,
        "limit_reads_agent": 600,
        "limit_threads": 10,
        "limit_replies": 60,
        "limit_accepts": 60,
        "limit_keys": 10,
        "limit_registrations": None,
        "limit_pair_reputation": 3,
        "limit_new_agent_holds": 5,
        "limit_open_claims": 10,
        "limit_waits_agent": 2,
        "limit_waits_anonymous": 4,
        "limit_uncharged": 600,
        "limit_clients": 100,
        "limit_authorizations": 60,
    }


def test_the_variable_of_a_setting_is_its_name_in_capitals():
    assert environment_name("limit_open_claims") == "STOA_LIMIT_OPEN_CLAIMS"


GOOD: list[dict[str, Any]] = [
    {"signup_grant": Decimal(0)},
    {"signup_grant": Decimal("0.01")},
    {"signup_grant": Decimal("1E+2")},
    {"signup_grant": Decimal("2.500")},
    {"signup_grant": Decimal(1_000_000)},
    {"base_url": "https://stoa.example"},
    {"base_url": "http://192.0.2.1:8080/"},
    {"base_url": "https://[2001:db8::1]:8443"},
    {"host": "0.0.0.0", "base_url": "https://stoa.example"},  # noqa: S104
    {"host": "::1"},
    {"screen_url": "https://10.0.0.7/texts", "webhooks_allow": ["10.0.0.7"]},
    {"screen_url": "http://[fd00::1]:9000/", "webhooks_allow": ["fd00::1"]},
    {"screen_url": "http://screen.internal/", "webhooks_allow": ["10.0.0.0/8"]},
    {"screen_url": "https://1.1.1.1/texts"},
    {"data_dir": "", "database_url": "sqlite:////var/lib/stoa/stoa.db"},
    {"host": "localhost"},
    {"host": "127.0.0.2"},
    {"trusted_proxies": ["10.0.0.0/8", "2001:db8::/64", "192.0.2.1"]},
    {"database_url": "sqlite:////var/lib/stoa/stoa.db"},
    {"database_url": "postgresql://stoa:a%2Fb%40@db1:5432,db2:5432/stoa?password=a@b"},
    {"valkey_url": "redis://127.0.0.1:6379/0"},
    {"valkey_url": "rediss://stoa:secret@limits.example/1?ssl_ca_certs=/etc/ca.pem"},
    {"valkey_url": "valkey://[::1]"},
]


@pytest.mark.parametrize("values", GOOD, ids=str)
def test_what_is_right_passes(values: dict[str, Any]):
    check(Settings(**values))


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("STOA_VALKEY_URL", {"valkey_url": "127.0.0.1:6379"}),
    ("STOA_VALKEY_URL", {"workers": 2, "database_url": "postgresql://stoa@db/stoa"}),
    ("STOA_VALKEY_URL", {"valkey_url": "http://127.0.0.1:6379"}),
    ("STOA_VALKEY_URL", {"valkey_url": "redis:///0"}),
    ("STOA_VALKEY_URL", {"valkey_url": "redis://127.0.0.1:x"}),
    ("STOA_VALKEY_URL", {"valkey_url": "redis://127.0.0.1/first"}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("0.001")}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal(-1)}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("1000000.01")}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("1E+999999")}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("NaN")}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("sNaN")}),
    ("STOA_SIGNUP_GRANT", {"signup_grant": Decimal("Infinity")}),
    ("STOA_BASE_URL", {"host": "0.0.0.0"}),  # noqa: S104
    ("STOA_BASE_URL", {"host": "stoa.example"}),
    ("STOA_HOST is empty", {"host": "", "base_url": "https://stoa.example"}),
    ("STOA_HOST is empty", {"host": " ", "base_url": "https://stoa.example"}),
    ("STOA_DATA_DIR is empty", {"data_dir": ""}),
    ("STOA_BASE_URL", {"base_url": "stoa.example"}),
    ("STOA_BASE_URL", {"base_url": "ftp://stoa.example"}),
    ("STOA_BASE_URL", {"base_url": "https://"}),
    ("STOA_BASE_URL", {"base_url": "https://stoa.example?x"}),
    ("STOA_BASE_URL", {"base_url": "https://stoa.example#x"}),
    ("STOA_BASE_URL", {"base_url": "https://me:pass@stoa.example"}),
    ("STOA_BASE_URL", {"base_url": "https://stoa.example:99999"}),
    ("STOA_BASE_URL", {"base_url": "https://stoa.example/\nx"}),
    ("STOA_BASE_URL", {"base_url": "https://[::1"}),
    ("STOA_BASE_URL has the path /stoa", {"base_url": "https://example.org/stoa"}),
    ("STOA_BASE_URL has the path /stoa/", {"base_url": "https://example.org:8443/stoa/"}),
    ("STOA_BASE_URL has the path //", {"base_url": "https://stoa.example//"}),
    ("STOA_TRUSTED_PROXIES", {"trusted_proxies": ["10.0.0.0/8", "proxy"]}),
    ("STOA_TRUSTED_PROXIES", {"trusted_proxies": ["0.0.0.0/0"]}),
    ("STOA_DATABASE_URL", {"database_url": "mysql://stoa"}),
    ("STOA_DATABASE_URL", {"database_url": "sqlite:///"}),
    ("STOA_DATABASE_URL cannot", {"database_url": "postgresql://stoa:a/b@db/stoa"}),
    ("STOA_DATABASE_URL cannot", {"database_url": "postgresql://[::1/stoa"}),
    ("STOA_WORKERS", {"workers": 2}),
    ("STOA_ALLOWED_HOSTS", {"allowed_hosts": ["a.example", "https://b.example"]}),
    ("STOA_ALLOWED_HOSTS", {"allowed_hosts": ["b.example/forum"]}),
    ("STOA_ALLOWED_HOSTS", {"allowed_hosts": ["*.example"]}),
    ("STOA_SCREEN_URL", {"screen_url": "https://[::1/texts"}),
    ("STOA_SCREEN_URL", {"screen_url": "https://screen.example:99999/texts"}),
    ("STOA_SCREEN_URL: use", {"screen_url": "https://me:pass@screen.example/texts"}),
    ("STOA_SCREEN_URL: use", {"screen_url": "https://schirm.exämple/texts"}),
    ("STOA_SCREEN_URL names 10.0.0.7, a private", {"screen_url": "https://10.0.0.7/texts"}),
    (
        "STOA_SCREEN_URL names fd00::1, with http",
        {"screen_url": "http://[fd00::1]:9000/", "webhooks_allow": ["fd00::2"]},
    ),
    ("STOA_TELEMETRY", {"telemetry": "http://[::1"}),
    ("STOA_TELEMETRY", {"telemetry": "https://"}),
]


@pytest.mark.parametrize(("name", "values"), WRONG, ids=str)
def test_what_is_wrong_is_told_in_one_line_that_names_it(name: str, values: dict[str, Any]):
    with pytest.raises(SettingsError) as caught:
        check(Settings(**values))
    message = str(caught.value)
    assert message.startswith(name)
    assert "\n" not in message


def test_the_database_lies_in_the_data_folder_unless_it_has_an_address():
    assert Settings(data_dir="/srv/data").database_path == Path("/srv/data/stoa.db")
    assert Settings(database_url="sqlite:///my.db").database_path == Path("my.db")
    assert Settings(database_url="sqlite:////srv/my.db").database_path == Path("/srv/my.db")


def test_links_start_with_the_base_url_or_else_with_host_and_port():
    assert Settings(port=81).origin == "http://127.0.0.1:81"
    assert Settings(host="::1").origin == "http://[::1]:8080"
    assert Settings(base_url="https://stoa.example/").origin == "https://stoa.example"

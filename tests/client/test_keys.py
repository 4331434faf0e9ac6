"""Addresses are compared in one form."""

import pytest

from stoa.client.keys import canonical_url


@pytest.mark.parametrize(
    "url", ["http://[::1]", "HTTP://[0:0:0:0:0:0:0:1]:80/", "http://[0000::0001]"]
)
def test_an_ipv6_address_has_one_form(url: str) -> None:
    assert canonical_url(url) == "http://[::1]"


def test_what_is_no_ipv6_address_is_refused() -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the text is that of Python
        canonical_url("http://[1::2::3]")

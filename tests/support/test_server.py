"""Ports that tests start servers on."""

from tests.support.server import free_port


def test_a_port_is_given_once():
    given = [free_port() for _ in range(100)]
    assert len(set(given)) == len(given)

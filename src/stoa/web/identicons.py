"""The sign of an agent: five by five squares, the same on both sides, drawn from its id."""

from hashlib import blake2b

from markupsafe import Markup

HUES = 8
"""Colours of signs; the style sheet has a class for each."""

_FORMS = (
    "",
    "M2 {0}h1",
    "M1 {0}h1m1 0h1",
    "M1 {0}h3",
    "M0 {0}h1m3 0h1",
    "M0 {0}h1m1 0h1m1 0h1",
    "M0 {0}h2m1 0h2",
    "M0 {0}h5",
)
"""What is drawn of a row, by its three bits: outside, between, in the middle."""

_ROWS = tuple(tuple(form.format(place) for form in _FORMS) for place in range(5))


def identicon(agent_id: str) -> Markup:
    """The sign of the agent with this id as inline SVG, one path. A new key does not change it, and
    no reader needs it: the name stands beside it."""
    bits = int.from_bytes(blake2b(agent_id.encode(), digest_size=4).digest(), "big")
    drawn = "".join([forms[bits >> 3 * place & 7] for place, forms in enumerate(_ROWS)])
    hue = (bits >> 15) % HUES
    # Only digits and letters of the tables above are in it.
    return Markup(  # noqa: S704
        f'<svg class="sign i{hue}" viewBox="-1 -1.5 7 7" aria-hidden="true">'
        f'<path d="{drawn or _ROWS[2][1]}"/></svg>'
    )

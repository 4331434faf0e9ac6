"""The picture of a run, as SVG: the standing of each key beside its quality, and prices."""

from html import escape
from math import log10

from stoa.domain.standing import HIGHEST, Graph, standings
from stoa.sim.figures import Measure
from stoa.sim.playing import Played

_WIDTH, _HEIGHT = 760, 400
_LEFT, _TOP, _SIDE = 50, 60, 280
_BARS = 560
_ROW = 17
_LONGEST = 150
_MOST_DIGITS = 2.0
"""Prices are drawn up to a hundred times that of honest work."""

_STYLE = (
    "text{font:12px sans-serif;fill:#222}.small{font-size:10px}.honest{fill:#2a6db0}"
    ".fake{fill:#c0392b}.axis{stroke:#888;fill:none}.other{fill:#e39b2d}"
)


def picture(played: Played, found: list[Measure]) -> str:
    """Both halves of the picture."""
    parts = [*_dots(played), *_prices(found)]
    title = f"Seed {played.plan.seed}: {played.plan.agents} honest agents, {played.plan.days} days"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>'
        f"{_text(_LEFT, 20, title)}{''.join(parts)}</svg>\n"
    )


def _dots(played: Played) -> list[str]:
    """A dot for each honest agent; the keys of attackers stand on the right, at no quality."""
    scores = standings(Graph.of(played.edges), played.endorsed)
    bottom, right = _TOP + _SIDE, _LEFT + _SIDE
    parts = [
        _text(_LEFT, 42, f"Standing with {len(played.endorsed)} endorsed, by hidden quality"),
        f'<path class="axis" d="M{_LEFT} {_TOP}V{bottom}H{right + 30}"/>',
        _text(_LEFT - 28, _TOP + 5, str(HIGHEST)),
        _text(_LEFT - 12, bottom + 5, "0"),
        _text(_LEFT, bottom + 18, "quality 0"),
        _text(right - 10, bottom + 18, "1"),
        _text(right + 8, bottom + 18, "rings", "small"),
    ]
    for one in played.honest:
        at = (_LEFT + one.quality * _SIDE, scores.get(one.actor.name, 0))
        parts.append(_dot(*at, "honest"))
    rings = (attack for name, attack in played.attacks.items() if name.startswith("ring"))
    highest = sorted({scores.get(key.name, 0) for attack in rings for key in attack.keys})
    return [*parts, *(_dot(right + 20, score, "fake") for score in highest)]


def _dot(x: float, score: int, kind: str) -> str:
    y = _TOP + _SIDE * (1 - score / HIGHEST)
    return f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.0f}" r="2.5"/>'


def _prices(found: list[Measure]) -> list[str]:
    """A bar for each attack: the price of a point beside honest work, by digits."""
    parts = [_text(_LEFT + _SIDE + 70, 42, "Price of a point; the line is that of honest work")]
    y = _TOP + 10
    for measure in (found[0], found[-1]):
        parts.append(_text(_LEFT + _SIDE + 70, y, measure.name))
        for row in measure.rows[1:]:
            y += _ROW
            parts.append(_text(_LEFT + _SIDE + 70, y, row.name, "small"))
            if row.beside_honest is None:
                parts.append(_text(_BARS + 10, y, "no points", "small"))
                continue
            digits = min(max(log10(row.beside_honest), -1), _MOST_DIGITS)
            length = _LONGEST * (digits + 1) / (1 + _MOST_DIGITS)
            kind = "fake" if digits < 0 else "other"
            parts.append(
                f'<rect class="{kind}" x="{_BARS}" y="{y - 9}" width="{length:.0f}" height="10"/>'
            )
            says = f"{row.beside_honest:.1f} ×"
            parts.append(_text(_BARS + length + 4, y, says, "small"))
        y += 2 * _ROW
    one = _BARS + _LONGEST / (1 + _MOST_DIGITS)
    return [*parts, f'<path class="axis" d="M{one:.0f} {_TOP}V{y - _ROW}"/>']


def _text(x: float, y: float, words: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.0f}" y="{y:.0f}"{named}>{escape(words)}</text>'

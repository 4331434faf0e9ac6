"""What the market counts once, for reads in several threads."""

from stoa.store.market import DailyFigures


def test_a_day_is_known_before_it_is_counted_no_more() -> None:
    days, looks = DailyFigures[int](), list[bool]()

    class Day(int):
        """A day at which another thread looks while it is compared."""

        def __lt__(self, other: int) -> bool:
            looks.append(days.until <= self or self in days.known)
            return int(self) < other

    assert days.add(0, {Day(1): 5}, 2) == {1: 5}
    assert (days.until, days.known) == (2, {1: 5})
    assert looks == [True]

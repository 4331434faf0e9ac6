"""What `make bench-day` counts."""

from pathlib import Path

from stoa.search.index import SearchIndex
from stoa.settings import Settings
from tests.support.app import App
from tests.support.composing import with_parts
from tools.bench.day import AT_ONCE, Town, stored


def test_the_file_of_the_search_index_counts(tmp_path: Path) -> None:
    settings = Settings(data_dir=str(tmp_path))
    index = SearchIndex(settings.search_path, AT_ONCE)
    with App(settings, composed=with_parts(index=lambda _: index)) as app:
        town, letters = Town(app, answered=1), 10_000
        before = stored(app, index)
        town.ada.reply(town.thread, town.text(letters))
        # Four bytes of each letter in the database, and more in the index.
        assert stored(app, index) - before > 8 * letters

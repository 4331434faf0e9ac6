"""Names the pytest plugins of the whole run; fixtures live in tests/."""

pytest_plugins = ["pytester", "tests.plugins.no_skips"]

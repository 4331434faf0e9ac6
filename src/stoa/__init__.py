"""Stoa: a self-hosted network where AI agents discuss, answer each other and do paid work."""

from pathlib import Path

_RELEASE = "0.2.0.dev0"
_DIGITS = 9


def version_of(source: Path) -> str:
    """The release and the commit: that of the checkout that runs, or the one that was built."""
    try:
        return f"{_RELEASE}+g{_commit(source / '.git')[:_DIGITS]}"
    except OSError:
        return _built()


def _commit(git: Path) -> str:
    """The commit that is checked out, read without git: this happens whenever a program starts."""
    if git.is_file():  # a worktree
        git = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text("utf-8").strip()
    name = head.removeprefix("ref: ")
    if name == head:
        return head
    common = git / "commondir"
    shared = git / common.read_text("utf-8").strip() if common.is_file() else git
    if (shared / name).is_file():
        return (shared / name).read_text("utf-8").strip()
    for line in (shared / "packed-refs").read_text("utf-8").splitlines():
        if line.endswith(f" {name}"):
            return line.partition(" ")[0]
    raise FileNotFoundError(name)


def _built() -> str:
    """What the installed package says, if it is of this release."""
    from importlib import metadata

    try:
        built = metadata.version("stoa-network")
    except metadata.PackageNotFoundError:
        return _RELEASE
    return built if built.partition("+")[0] == _RELEASE else _RELEASE


__version__ = version_of(Path(__file__).parents[2])

"""`stoa docs`: the documentation that came with the package, in a terminal or as a site."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stoa.cli.ending import writing
from stoa.store.tx import StartRefused


def docs(
    page: Annotated[
        str | None,
        typer.Argument(
            metavar="PAGE", help="Such as operating or reference/settings; without one, all."
        ),
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="Serve the pages to a browser on this machine.")
    ] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to serve on.")] = 8090,
    build: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the pages into a folder.")
    ] = None,
) -> None:
    """Read the documentation of this version. It needs no network.

    A page is shown as text in a terminal, and as Markdown if the output goes elsewhere.
    """
    if sum(map(bool, (page, serve, build))) > 1:
        raise typer.BadParameter("give a PAGE, --serve or --build")
    if serve:
        _serve(port)
    elif build:
        _build(build)
    elif page:
        _show(page.removesuffix(".md"))
    else:
        _list()


def _list() -> None:
    from stoa.web.manual.pages import NAVIGATION, folder, pages

    book = pages(folder())
    for group, names in NAVIGATION.items():
        print(f"{group}:")
        for name in names:
            print(f"  {name:24}  {book[name].title}")


def _show(name: str) -> None:
    from stoa.web.manual.pages import folder, pages

    book = pages(folder())
    if name not in book:
        ended = [one for one in book if one.endswith(f"/{name}")]
        if len(ended) != 1:
            raise typer.BadParameter(f"there is no page {name}: run stoa docs", param_hint="PAGE")
        [name] = ended
    if not sys.stdout.isatty():
        print(book[name].text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(book[name].text))


def _build(target: Path) -> None:
    from stoa.cli.manual.site import build
    from stoa.web.manual.pages import folder

    if target.is_dir() and any(target.iterdir()) and not (target / "manual.css").exists():
        raise StartRefused(f"{target} is not empty: choose a new folder for the pages")
    made = build(folder())
    with writing(target):
        for name, body in made.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
    print(f"{target}: {len(made)} files")


def _serve(port: int) -> None:
    from stoa.cli.manual.serving import serve

    serve(port)

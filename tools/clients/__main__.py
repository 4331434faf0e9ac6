"""Write the generated files where they differ from what the table of operations says."""

from tools.clients import ROOT, files


def main() -> None:
    """Write and name each file that changed."""
    for path, text in files().items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))


main()

"""Write the pages of the reference that differ from what the code says."""

from tools.docs import ROOT, files


def main() -> None:
    """Write and name each page that changed."""
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(path.relative_to(ROOT))


main()

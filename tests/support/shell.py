"""A shell on a machine that has only what newcomers have: curl, Python, Stoa, small tools."""

import shutil
import subprocess
import sys
from pathlib import Path

_TOOLS = ("sh", "cat", "curl", "ls", "mkdir", "rm", "sed")
_DONE = "-- the block has ended --"


class Shell:
    """Runs blocks one after the other in a folder; what one sets, the next one finds.

    A command that fails ends it, and so does an answer of 400 or above to curl.
    """

    def __init__(self, folder: Path) -> None:
        programs = folder / "programs"
        programs.mkdir()
        for tool in _TOOLS:
            (programs / tool).symlink_to(str(shutil.which(tool)))
        (programs / "python3").symlink_to(sys.executable)
        (programs / "stoa").symlink_to(Path(sys.executable).with_name("stoa"))
        (folder / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n")
        self._process = subprocess.Popen(
            ["sh", "-eu"],
            cwd=folder,
            env={"PATH": str(programs), "HOME": str(folder), "CURL_HOME": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, block: str) -> str:
        """Run a block as it is printed; what it printed. AssertionError when a command failed."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{{\n{block}\n}} </dev/null\necho; echo '{_DONE}'\n")
        self._process.stdin.flush()
        printed: list[str] = []
        for line in self._process.stdout:
            if line.strip() == _DONE:
                return "".join(printed)
            printed.append(line)
        raise AssertionError(f"{block}\n{''.join(printed)}")

    def close(self) -> None:
        """End the shell."""
        self._process.communicate()

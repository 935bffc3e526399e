"""A terminal of 80 columns around a command."""

import os
import pty
import re
import subprocess
import termios
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

TIME_LEFT = r"\d+%\|.*\| [\d.kM]+/[\d.kM]+ \[\d\d:\d\d<\d\d:\d\d, "
"""A bar that knows how long the rest will take."""


@dataclass(frozen=True)
class Watched:
    """What a person saw of a command."""

    code: int
    sent: str
    """All that came, with what a terminal does not show: moves of the cursor."""

    @property
    def screen(self) -> list[str]:
        """The lines at the end, the last one that with the cursor."""
        lines, row, column = [""], 0, 0
        for part in re.findall(r"\r|\n|\x1b\[A|[^\r\n\x1b]+", self.sent):
            if part == "\r":
                column = 0
            elif part == "\n":
                row += 1
                lines += [""] * (row == len(lines))
            elif part == "\x1b[A":
                row -= 1
            else:
                lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
                column += len(part)
        return [line.rstrip() for line in lines]


def watch(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str], interrupt: str = ""
) -> Watched:
    """Run a command; press Ctrl-C when what it shows matches the pattern `interrupt`."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(
        command, cwd=folder, env=environment, preexec_fn=lambda: os.login_tty(theirs)
    ) as process:
        os.close(theirs)
        sent = b""
        while read := _read(ours):
            sent += read
            if interrupt and re.search(interrupt, sent.decode(errors="ignore")):
                os.write(ours, b"\x03")
                interrupt = ""
    os.close(ours)
    return Watched(process.returncode, sent.decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # what Linux says at the end; other systems send nothing
        return b""

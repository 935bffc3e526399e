"""Tables in Markdown."""

import re


def table(text: str, caption: str) -> dict[str, list[str]]:
    """The rows of the table under a caption, by their first cell; the header under ""."""
    _, _, behind = text.partition(caption)
    assert behind, caption
    lines = re.search(r"(?:^\|.*\n)+", behind, re.M)
    assert lines
    header, _, *body = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines[0].splitlines()
    )
    return {"": header[1:]} | {row[0]: row[1:] for row in body}

"""The names that systems are shown under: no row has the name of another, and no name breaks a line."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from locomo.submissions.matching import Matched


def distinct(systems: Sequence[Matched], ours: Collection[str]) -> list[Matched]:
    """The systems, each under a name that no other has, nor our arms, nor rows such as `(abstention)`."""
    # A pair of systems is called "a - b".
    shown = {system.arm: " ".join(system.arm.split()).replace(" - ", "-") for system in systems}
    taken = set(ours)
    names: dict[str, str] = {}
    # Who can keep the name that the file gives does so, whatever the order in the file.
    for arm in sorted(shown, key=lambda arm: _must_change(arm, shown[arm], ours)):
        name = shown[arm]
        while name in taken or _is_reserved(name):
            name += " (given)"
        taken.add(name)
        names[arm] = name
    return [replace(system, arm=names[system.arm], called=system.arm) for system in systems]


def _must_change(arm: str, name: str, ours: Collection[str]) -> bool:
    return name != arm or name in ours or _is_reserved(name)


def _is_reserved(name: str) -> bool:
    """Rows that are no system stand in parentheses."""
    return name.startswith("(") and name.endswith(")") and not name.endswith(" (given)")


def in_signature(name: str) -> str:
    """A name without the characters that separate the fields of a signature, written as in a web address."""
    return name.replace("%", "%25").replace("|", "%7C").replace(":", "%3A")

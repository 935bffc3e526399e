"""The signature of a figure: what another person needs to get the same figure."""

from collections.abc import Mapping

from locomo.results.predictions import Origin
from locomo.results.provenance import Provenance


def signature(provenance: Provenance, arm: str, **others: object) -> str:
    """One line that names version, dataset (the start of its SHA-256), settings and arm.

    `others` replace settings (`floor="*"` in a table that varies the floor) or follow them.
    """
    parts = {**provenance.fields, "arm": arm, **others}
    return "|".join(f"{key}:{value}" for key, value in parts.items())


def of_memory(
    arm: str, origins: Mapping[str, Origin], counts: Mapping[str, Mapping[str, int]]
) -> dict[str, object]:
    """Further parts of an arm's signature: its external memory, and the number of questions it failed on.

    `origins` are by memory; `counts` are by arm, for arms that failed on some question.
    """
    memory = arm.partition("+")[0]
    found: dict[str, object] = {}
    if memory in origins:
        origin = origins[memory]
        version = f"{origin.version}+" if origin.version else ""
        found["memory"] = f"{memory}@{version}{origin.sha256[:12]}"
    if arm in counts:
        found["failed"] = counts[arm]["failed"]
    return found

"""What must stand beside a quoted figure, so that another person can get the same one."""

from locomo import __version__
from locomo.settings import Settings


def signature(settings: Settings, arm: str, **others: object) -> str:
    """One line that names version, dataset (the start of its SHA-256), settings and arm.

    `others` stand in place of settings: `floor="*"` where the floor is what a table varies.
    """
    parts: dict[str, object] = {
        "locomo-bench": __version__,
        "data": settings.dataset.sha256[:12],
        "k": settings.k,
        "floor": settings.floor,
        "span": settings.span,
        "band": settings.band,
        "parts": settings.parts,
        "blind": "yes" if settings.blind else "no",
        "infer": "yes" if settings.infer else "no",
        "arm": arm,
    } | others
    return "|".join(f"{key}:{value}" for key, value in parts.items())

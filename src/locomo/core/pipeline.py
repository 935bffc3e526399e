"""The packages of the extra `pipeline`. What needs them imports this first, to say which are missing."""

from locomo.core import require

require(("jinja2", "joblib", "markupsafe", "matplotlib", "networkx", "pydantic", "yaml"))

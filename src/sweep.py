"""Stage `sweep`: every arm along floor, k, span, band and parts."""

from locomo.answer import arms
from locomo.core import parallel, paths, settings
from locomo.core.errors import run
from locomo.core.files import replacing, write_csv, write_json
from locomo.formats import answer_key
from locomo.formats.built import built
from locomo.formats.store import count_built, read_built
from locomo.results.provenance import NOTE, Provenance
from locomo.study.sweep import not_asked, points, rows, sweep


def main() -> None:
    """Write `reports/sweeps/<setting>.csv`, and beside them which run they are of: that of their base."""
    chosen = settings.load().sweep
    selected = arms.noted()
    swept = points(chosen.base, chosen.values)
    key = answer_key.load().name
    provenance = Provenance.of(built(), key, blind=False, **chosen.base.model_dump())
    ks = chosen.external_ks
    tasks = ((talk, store, arms.at_hand(selected, talk, ks), swept) for talk, store in read_built())
    left_out = not_asked(swept, selected, ks)
    table = rows(swept, selected, parallel.each("sweep", sweep, tasks, count_built()), left_out)
    with replacing(paths.SWEEPS) as folder:
        folder.mkdir()
        write_json(folder / NOTE, provenance.as_json())
        for setting in chosen.values:
            lines = [
                {"arm": arm, setting: point.value, **row}
                for point, arm, row in table
                if point.setting == setting
            ]
            write_csv(folder / paths.sweep(setting).name, lines)
    if left_out:
        names = ", ".join(name for name, arm in selected.items() if arm.plugin)
        print(f"Left out of the sweep of k: {names}, whose memories were not asked again (sweep.external_k).")


if __name__ == "__main__":
    run(main)

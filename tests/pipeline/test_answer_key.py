"""`answer_key: audited` in a clone where git and DVC work together, over the demonstration set."""

import csv
import hashlib
import json

from helpers.clones import PIPELINE, Clone, ran

CORRECTED = ["D1:1", "D1:2"]


def audit(clone: Clone, left_out: str = "locomo_0_qa0") -> None:
    """Put an audit of the demonstration set where a cache folder has that of LoCoMo, and pin it.

    It finds a wrong answer to the first question of the first conversation, and wrong citations for the
    fourth of the second.
    """
    first, second = (sample["qa"] for sample in clone.json("demo/conversations.json")[:2])
    entries = [
        {"question_id": left_out, "question": first[0]["question"], "error_type": "HALLUCINATION"},
        {
            "question_id": "locomo_1_qa3",
            "question": second[3]["question"],
            "error_type": "WRONG_CITATION",
            "correct_evidence": CORRECTED,
        },
    ]
    assert first[0]["category"] == 4 and second[3]["evidence"] != CORRECTED
    path = clone / "audit/errors.json"
    path.parent.mkdir()
    path.write_text(json.dumps(entries), encoding="utf-8")
    content = path.read_bytes()
    clone.edit("params.yaml", "bytes: 150552", f"bytes: {len(content)}")
    old = "f298ef46263fada20688a1d672be37d4f488c6da3b19343eea55ae5c1b5fe55e"
    clone.edit("params.yaml", old, hashlib.sha256(content).hexdigest())


def questions(clone: Clone) -> set[tuple[str, str]]:
    with (clone / "data/scores.csv").open(encoding="utf-8", newline="") as file:
        return {(row["sample"], row["question"]) for row in csv.DictReader(file)}


def test_another_key_judges_the_same_memories(demo: Clone) -> None:
    audit(demo)
    demo = demo.within(LOCOMO_CACHE=str(demo.folder))
    demo.run("dvc", "repro")
    demo.commit("an audit of the demonstration set")
    published = questions(demo)

    demo.edit("params.yaml", "answer_key: published", "answer_key: audited")
    said = demo.run("dvc", "repro")
    assert "1 questions with a wrong answer left out; 1 with corrected evidence" in said
    assert ran(said) == [stage for stage in PIPELINE if stage not in ("build", "arms")]
    key = f"key:audited@{hashlib.sha256((demo / 'audit/errors.json').read_bytes()).hexdigest()[:12]}"
    signatures = demo.json("metrics/signature.json")
    run = signatures.pop("(run)")
    assert f"key:{run['key']}" == key
    assert all(f"|{key}|" in signature for signature in signatures.values())
    assert published - questions(demo) == {("demo-1", "0")} and len(published) == 120
    # The oracle cites what the key now says.
    corrected = demo.json("data/predictions.json")[1]["qa"][3]
    assert sorted(corrected["oracle_prediction_context"]) == corrected["evidence"] == CORRECTED
    report = (demo / "reports/report.md").read_text(encoding="utf-8")
    assert "98 answerable questions remain; 21 adversarial questions remain." in report
    assert "of 120" not in report and "Questions that failed" not in report

    demo.run("git", "checkout", "--", ".")
    demo.run("dvc", "checkout", "--force")
    demo.assert_as_committed()
    assert questions(demo) == published


def test_an_audit_of_another_dataset_leaves_everything_as_it_was(demo: Clone) -> None:
    audit(demo, left_out="locomo_9_qa0")
    demo.edit("params.yaml", "answer_key: published", "answer_key: audited")
    said = demo.within(LOCOMO_CACHE=str(demo.folder)).run("dvc", "repro", code=255)
    assert "errors.json: fault[0] (locomo_9_qa0), is of no question of this dataset" in said
    assert "Traceback" not in said

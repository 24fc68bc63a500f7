"""Figures of rankings, and banks made of test sets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bankd.errors import UserError
from bench.eval import main, read_saved
from bench.trial import TrialSet, bank_of, bootstrap_interval, compare_figures, id_of, mean_of, quality_of


def test_figures_of_a_ranking() -> None:
    quality = quality_of(["x", "a", "y", "b"], {"a": 1, "b": 1, "z": 0})

    assert quality.mrr_10 == 0.5
    assert (quality.recall_1, quality.recall_5, quality.recall_10) == (0.0, 1.0, 1.0)
    assert quality.ndcg_10 == pytest.approx((0.6309 + 0.4307) / (1 + 0.6309), abs=1e-3)
    assert quality_of([], {"a": 1}) == (0.0, 0.0, 0.0, 0.0, 0.0)


def test_means_and_the_interval_of_a_difference() -> None:
    assert mean_of([quality_of(["a"], {"a": 1}), quality_of([], {"a": 1})]).mrr_10 == 0.5
    low, high = bootstrap_interval([0.1] * 50 + [0.0] * 50)

    assert 0 < low < 0.05 < high < 0.1


def test_a_change_for_the_better_and_one_by_chance() -> None:
    good, bad = quality_of(["a"], {"a": 1}), quality_of([], {"a": 1})
    before = {f"q{n}": bad for n in range(20)}

    sure = compare_figures({f"q{n}": good if n < 8 else bad for n in range(20)} | {"new": bad}, before)["mrr_10"]
    chance = compare_figures({"q0": good, "q1": bad}, {"q0": bad, "q1": good})["mrr_10"]

    assert (sure.difference, sure.better, sure.worse) == (pytest.approx(0.4), 8, 0)
    assert sure.low > 0
    assert sure.p < 0.05
    assert (chance.difference, chance.better, chance.worse, chance.p) == (0, 1, 1, 1)
    assert chance.low < 0 < chance.high


def test_documents_become_memories_on_a_page_a_session() -> None:
    documents = [
        {"id": "d1", "title": "Ann, 1 May", "text": "Hi\nthere", "conv": "c 1", "session": 1, "speaker": "Ann B"},
        {"id": "d2", "title": "Ann, 1 May", "text": "Bye", "conv": "c 1", "session": 1, "speaker": "Ann B"},
        {"id": "d3", "title": "Bob", "text": "Yes", "conv": "c 2", "session": 1},
    ]

    bank = bank_of(documents, "conv")
    one, two, three = map(id_of, documents)

    assert bank.pages == {
        "c-1/00000.md": f"# Ann, 1 May\n\n- W @Ann-B: Hi there ^{one}\n- W @Ann-B: Bye ^{two}\n",
        "c-2/00001.md": f"# Bob\n\n- Yes ^{three}\n",
    }
    assert bank.documents == {("c-1/00000.md", 3): "d1", ("c-1/00000.md", 4): "d2", ("c-2/00001.md", 3): "d3"}


def test_a_figure_below_what_was_saved_fails_the_gate_and_one_as_good_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_set(tmp_path)
    saved = tmp_path / "saved.jsonl"
    main([str(tmp_path), "--save", str(saved)])
    gate = [str(tmp_path), "--gate", str(saved)]
    assert main(gate) == 0
    assert f"below {saved}" not in capsys.readouterr().out

    whole = saved.read_text()
    saved.write_text(re.sub('"mrr_10": [0-9.]+', '"mrr_10": 0.1', whole))
    assert main(gate) == 0  # it got better
    saved.write_text(re.sub('"mrr_10": [0-9.]+', '"mrr_10": 1.01', whole))
    assert main([str(tmp_path), "--against", str(saved)]) == 0
    capsys.readouterr()
    assert main(gate) == 1
    assert f"below {saved}: MRR@10\n" in capsys.readouterr().out
    assert main([*gate, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["fallen"] == ["MRR@10"]


def test_what_is_shown_as_nearest_counts_and_is_told_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trees = [{"id": f"t{n}", "text": f"Apple tree {n} was planted in spring"} for n in range(150)]
    found = {"id": "d", "text": "Prefers concise replies"}
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(one) + "\n" for one in (*trees, found)))
    asked = "who bakes the concise walnut cake without eggs on Sundays with friends at the long table"
    queries = ({"id": "q", "text": "concise replies", "gold": ["d"]}, {"id": "r", "text": asked, "gold": ["d"]})
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in queries))

    main([str(tmp_path), "--json"])

    said = json.loads(capsys.readouterr().out)
    assert (said["MRR@10"], said["mrr_10_of_answers"], said["unanswered"]) == (1.0, 0.5, 1)


def write_set(folder: Path, count: int = 8) -> None:
    """Near-ties in pairs, of which the question means the second; and what nobody asks for."""
    pairs = [(f"p{n}{one}", f"The spare key {n * 111} hangs in the {one} shed") for n in range(count) for one in "ab"]
    folder.joinpath("docs.jsonl").write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in pairs))
    asked = [{"id": f"q{n}", "text": f"spare key {n * 111}", "gold": [f"p{n}b"]} for n in range(count)]
    folder.joinpath("queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in asked))


@pytest.mark.parametrize("text", ["", "{}", '{"query": "other", "quality": {}}', "no JSON"])
def test_a_file_that_was_not_saved_by_it_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "saved").write_text(text)

    with pytest.raises(UserError, match="saved"):
        read_saved(tmp_path / "saved", TrialSet([], [{"id": "q"}], {}))

"""Promises of search that hold for any text."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bankd.index.tree_file import PageNode, read_tree, render_tree, tree_of
from bankd.search.find import marks_of
from bankd.search.score import Corpus
from bankd.words.analysis import analyse_by_lexicon, analyse_text, lexicon_of, runs_of

KOREAN = st.text(st.sampled_from("가치관이 뭐야정직술은AIdb를42. ,!\n"), max_size=60)
ANY = st.text(max_size=80)
NAMES = st.lists(st.text(st.characters(exclude_characters="/"), min_size=1, max_size=9), min_size=1, max_size=3)
PATHS = NAMES.map(lambda names: "/".join(names) + ".md")


@given(KOREAN)
def test_the_unicode_form_of_a_text_does_not_matter(text: str) -> None:
    forms = {tuple(runs_of(unicodedata.normalize(form, text))) for form in ("NFC", "NFD", "NFKC", "NFKD")}

    assert len(forms) == 1


@given(ANY)
def test_any_text_can_be_read(text: str) -> None:
    for analysis in (analyse_text(text), analyse_by_lexicon(text, lexicon_of(lambda _: None, lambda _: False))):
        assert all(term and not term.isspace() and "\n" not in term for term in analysis.terms)


@given(ANY, st.lists(st.text(min_size=1, max_size=5), max_size=5))
def test_marks_are_parts_of_the_text_in_order_and_apart(text: str, terms: list[str]) -> None:
    marks = marks_of(text, terms)

    assert all(0 <= start < end <= len(text) for start, end in marks)
    assert all(before[1] <= after[0] for before, after in pairwise(marks))


@given(st.dictionaries(ANY, st.integers(1, 9), max_size=6), st.lists(PATHS, max_size=4, unique=True))
def test_the_tree_file_is_valid_whatever_the_words_and_names_are(terms: dict[str, int], paths: list[str]) -> None:
    pages = [PageNode(path, path, [(path,), (path, "x")], list(terms), 1) for path in paths]

    corpus = Corpus(9, 1)
    written = render_tree(tree_of(pages, terms, corpus), corpus)

    assert json.loads(written)["format"] == 1
    assert render_tree(read_tree(written), corpus) == written

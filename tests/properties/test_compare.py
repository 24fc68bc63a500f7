"""What holds of comparing any two texts, and of searching for any."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from bankd.index.tree_file import PageNode, render_tree
from bankd.same import Relation, compare_statements, find_match, read_statement
from bankd.search.find import marks_of
from bankd.search.score import Corpus
from bankd.words.analysis import analyse_by_lexicon, analyse_text, lexicon_of, runs_of
from bankd.words.english import EMPTY_WORDS, OPTIONAL
from bankd.words.statement import Statement, plain_wording

texts = st.text(max_size=80) | st.text("가나다라 안못 0123 abc.,-~!?'\"", max_size=40)
WORDS = "Peter server listens quietly port garden tea 서버는 포트를 커피 아침에 마신다 책"
words = st.sampled_from(WORDS.split())
sentences = st.lists(words, min_size=3, max_size=9).map(" ".join)
new_words = st.text("bcdfghjklmpqrvwxz", min_size=4, max_size=9) | st.text("쿄뷰첵툼", min_size=3, max_size=5)


def say(text: str) -> Statement:
    return read_statement(plain_wording(text))


@given(texts)
def test_every_text_is_the_same_as_itself(text: str) -> None:
    assert compare_statements(say(text), say(text)).relation is Relation.SAME


@given(texts, texts)
def test_no_two_texts_are_too_odd_to_compare(old: str, new: str) -> None:
    assert 0.0 <= compare_statements(say(old), say(new)).score <= 100.0


@given(sentences, st.sampled_from([".", " .", "!", "...", "…"]), st.sampled_from(["  ", "\t", " \n "]))
def test_spacing_and_a_last_stop_never_matter(text: str, stop: str, gap: str) -> None:
    assert compare_statements(say(text), say(text.replace(" ", gap) + stop)).relation is Relation.SAME


@given(sentences, st.integers(0, 10**9), st.integers(0, 10**9), st.integers(0, 8))
def test_two_numbers_are_never_the_same(text: str, one: int, other: int, at: int) -> None:
    assume(one != other)
    row = text.split()
    old, new = (" ".join([*row[:at], str(number), *row[at:]]) for number in (one, other))

    assert compare_statements(say(old), say(new)).relation is not Relation.SAME


@given(sentences, new_words, st.integers(0, 8))
def test_a_word_of_its_own_is_never_the_same(text: str, word: str, at: int) -> None:
    assume(word not in EMPTY_WORDS | OPTIONAL)
    row = text.split()
    longer = " ".join([*row[:at], word, *row[at:]])

    assert compare_statements(say(text), say(longer)).relation is not Relation.SAME


@given(sentences, st.sampled_from(["not", "never", "no", "without", "hardly"]), st.integers(0, 8))
def test_a_negation_is_never_the_same(text: str, negation: str, at: int) -> None:
    row = text.split()
    turned = " ".join([*row[:at], negation, *row[at:]])
    outcomes = {
        compare_statements(say(text), say(turned)).relation,
        compare_statements(say(turned), say(text)).relation,
    }

    assert Relation.SAME not in outcomes


@given(texts, texts)
def test_vectors_never_block(old: str, new: str) -> None:
    alone, beside = compare_statements(say(old), say(new)), compare_statements(say(old), say(new), cosine=1.0)

    assert (alone.relation is Relation.SAME) == (beside.relation is Relation.SAME)


@given(sentences, sentences)
def test_what_is_matched_is_what_is_the_same_or_newer(old: str, new: str) -> None:
    verdict, match = compare_statements(say(old), say(new)), find_match([("old", say(old))], say(new))

    is_match = verdict.relation in {Relation.SAME, Relation.NEWER}
    assert (match[1] if match else None) == (verdict if is_match else None)


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
    pages = [PageNode(path, path, [(path,), (path, "x")], list(terms)) for path in paths]

    written = json.loads(render_tree(pages, terms, Corpus(9, 1)))

    assert written["idf"].keys() == {term.encode("utf-8", "replace").decode() for term in terms}
    assert {path.encode("utf-8", "replace").decode() for path in paths} <= written["nodes"].keys()

"""Names in a question that the bank does not know: whoever asks for Caroline gets no answer from one who never heard of her."""

# No postponed annotations here: what a query imports is compiled once; and no pattern, which takes longer than the work.
from collections.abc import Collection, Iterator

from bankd.core.analysis import fold
from bankd.core.english import stem_word
from bankd.core.lexicon import Known


def strangers_in(text: str, terms: Collection[str], known: Known) -> frozenset[str]:
    """Of the terms of a question those that are written as names and that no memory has, nor anything over it.

    A name that was mistyped and mended is no term any more. In Hangul nothing shows what a name is.
    """
    if text.isupper():
        return frozenset()
    names = {stem_word(name) for name in _written_as_names(text)}
    return frozenset(name for name in names.intersection(terms) if not known(name))


def _written_as_names(text: str) -> Iterator[str]:
    """The words with a capital that do not begin a sentence, and are not `I`."""
    is_inside = False
    for written in text.split():
        word = written.strip("\"'()[]{}<>*_,;:.!?")
        if is_inside and word[:1].isupper() and word.isascii() and word != "I" and not word.startswith("I'"):
            yield fold(word).removesuffix("'s")
        is_inside = written[-1] not in ".!?"

"""English words by their stem: Snowball's English stemmer, with the irregular forms that no rule reaches.

It owns single lower-case words; where words begin and end is decided in `analysis`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from Stemmer import Stemmer

_STEMMER = Stemmer("english", 0)  # Porter's second algorithm; without a cache of its own, since ours holds more

_IRREGULAR_VERBS = """
arise arose arisen | bear bore borne | beat beaten | become became | begin began begun | bend bent | bite bit bitten
blow blew blown | break broke broken | bring brought | build built | burn burnt | buy bought | catch caught
choose chose chosen | come came | deal dealt | dig dug | draw drew drawn | dream dreamt | drink drank drunk
drive drove driven | eat ate eaten | fall fell fallen | feed fed | feel felt | fight fought | find found
fly flew flown | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen | get got gotten
give gave given | go went gone | grow grew grown | hang hung | hear heard | hide hid hidden | hold held | keep kept
know knew known | lay laid | lead led | learn learnt | leave left | lend lent | lie lain | light lit | lose lost
make made | mean meant | meet met | pay paid | ride rode ridden | ring rang rung | rise rose risen | run ran
say said | see saw seen | seek sought | sell sold | send sent | shake shook shaken | shine shone | shoot shot
show shown | sing sang sung | sink sank sunk | sit sat | sleep slept | slide slid | speak spoke spoken | spend spent
spin spun | stand stood | steal stole stolen | stick stuck | strike struck | swear swore sworn | sweep swept
swim swam swum | swing swung | take took taken | teach taught | tear tore torn | tell told | think thought
throw threw thrown | understand understood | wake woke woken | wear wore worn | win won | write wrote written
"""
_OTHER_IRREGULAR_FORMS = """
go goes | child children | man men | woman women | foot feet | tooth teeth | mouse mice | person people | life lives
wife wives | leaf leaves | shelf shelves | good better best | bad worse worst
"""


def _by_form(groups: str) -> dict[str, str]:
    rows = (group.split() for group in groups.replace("\n", "|").split("|"))
    return {form: forms[0] for forms in rows for form in forms[1:]}


_IRREGULAR_PAST = _by_form(_IRREGULAR_VERBS)
_IRREGULAR = _IRREGULAR_PAST | _by_form(_OTHER_IRREGULAR_FORMS)


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Reduce a lower-case word to its stem: `painting`, `painted` and `paints` become `paint`, `went` becomes `go`."""
    return stem_words([word])[0]


def stem_words(words: Iterable[str]) -> list[str]:
    """The stems of lower-case words, not remembered: for a text that is read once."""
    bare = [word.removesuffix("'s").replace("'", "") for word in words]
    plain = [_IRREGULAR.get(word, word) for word in bare]
    stems = iter(_STEMMER.stemWords([word for word in plain if word.isascii()]))
    return [next(stems) if word.isascii() else word for word in plain]


def is_irregular_past(word: str) -> bool:
    """Whether a lower-case word is a past form that no rule reaches: `went`."""
    return word in _IRREGULAR_PAST


def irregular_forms(stem: str) -> Sequence[str]:
    """The forms that are reduced to a stem by no rule, and may well begin otherwise than that: `went`, `gone` and `goes`."""
    return _forms_by_stem().get(stem, ())


@cache  # only what marks words asks
def _forms_by_stem() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form in _IRREGULAR:
        forms.setdefault(stem_word(form), []).append(form)
    return forms

"""English words by their stem: Porter's second algorithm, with the irregular forms that no rule reaches.

The algorithm is the public one of snowballstem.org/algorithms/english; the table of irregular forms is our own.
It owns single lower-case words; where words begin and end is decided in `analysis`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_VALID_LI = frozenset("cdeghkmnrt")
_EXCEPTIONS = {
    "skis": "ski", "skies": "sky", "idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli",
    "only": "onli", "singly": "singl", "sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas",
    "cosmos": "cosmos", "bias": "bias", "andes": "andes", "dying": "die", "lying": "lie", "tying": "tie",
}  # fmt: skip
_KEPT_AFTER_1A = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))
_STEP_2 = (
    ("ization", "ize"), ("ational", "ate"), ("fulness", "ful"), ("ousness", "ous"), ("iveness", "ive"),
    ("tional", "tion"), ("biliti", "ble"), ("lessli", "less"), ("entli", "ent"), ("ation", "ate"), ("alism", "al"),
    ("aliti", "al"), ("ousli", "ous"), ("iviti", "ive"), ("fulli", "ful"), ("enci", "ence"), ("anci", "ance"),
    ("abli", "able"), ("izer", "ize"), ("ator", "ate"), ("alli", "al"), ("bli", "ble"), ("ogi", "og"), ("li", ""),
)  # fmt: skip
_STEP_3 = (
    ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("icate", "ic"), ("iciti", "ic"), ("ative", ""),
    ("ical", "ic"), ("ness", ""), ("ful", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic",
)  # fmt: skip
_SPECIAL_STARTS = ("arsen", "commun", "emerg", "gener", "inter", "later", "organ", "past", "univers")

_IRREGULAR_FORMS = """
arise arose arisen | bear bore borne | beat beaten | become became | begin began begun | bend bent | bite bit bitten
blow blew blown | break broke broken | bring brought | build built | burn burnt | buy bought | catch caught
choose chose chosen | come came | deal dealt | dig dug | draw drew drawn | dream dreamt | drink drank drunk
drive drove driven | eat ate eaten | fall fell fallen | feed fed | feel felt | fight fought | find found
fly flew flown | forget forgot forgotten | forgive forgave forgiven | freeze froze frozen | get got gotten
give gave given | go went gone goes | grow grew grown | hang hung | hear heard | hide hid hidden | hold held | keep kept
know knew known | lay laid | lead led | learn learnt | leave left | lend lent | lie lain | light lit | lose lost
make made | mean meant | meet met | pay paid | ride rode ridden | ring rang rung | rise rose risen | run ran
say said | see saw seen | seek sought | sell sold | send sent | shake shook shaken | shine shone | shoot shot
show shown | sing sang sung | sink sank sunk | sit sat | sleep slept | slide slid | speak spoke spoken | spend spent
spin spun | stand stood | steal stole stolen | stick stuck | strike struck | swear swore sworn | sweep swept
swim swam swum | swing swung | take took taken | teach taught | tear tore torn | tell told | think thought
throw threw thrown | understand understood | wake woke woken | wear wore worn | win won | write wrote written
child children | man men | woman women | foot feet | tooth teeth | mouse mice | person people | life lives
wife wives | leaf leaves | shelf shelves | good better best | bad worse worst
"""
_IRREGULAR = {
    form: forms[0]
    for forms in (group.split() for group in _IRREGULAR_FORMS.replace("\n", "|").split("|"))
    for form in forms[1:]
}


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Reduce a lower-case word to its stem: `painting`, `painted` and `paints` become `paint`, `went` becomes `go`."""
    word = word.removesuffix("'s").replace("'", "")
    word = _IRREGULAR.get(word, word)
    if len(word) <= 2 or not word.isascii():
        return word
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    return _Stem(_mark_consonant_y(word)).reduce()


def irregular_forms(stem: str) -> Sequence[str]:
    """The lower-case words that become this stem by no rule: `went` for `go`."""
    return _forms_by_stem().get(stem, ())


@lru_cache(maxsize=1)
def _forms_by_stem() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form in _IRREGULAR:
        forms.setdefault(stem_word(form), []).append(form)
    return forms


def _mark_consonant_y(word: str) -> str:
    """Write `y` as `Y` where it sounds as a consonant: at the start and after a vowel."""
    marked = "Y" + word[1:] if word[0] == "y" else word
    for vowel in "aeiouy":
        marked = marked.replace(f"{vowel}y", f"{vowel}Y")
    return marked


class _Stem:
    """One word on its way through the steps; `first` and `second` are the starts of the regions R1 and R2."""

    def __init__(self, word: str) -> None:
        self.word = word
        self.first = _region(word, special=True)
        self.second = self.first + _region(word[self.first :], special=False)

    def reduce(self) -> str:
        self._plural()
        if self.word not in _KEPT_AFTER_1A:
            self._past_and_gerund()
            self._final_y()
            self._suffixes(_STEP_2, self.first)
            self._suffixes(_STEP_3, self.first)
            self._derivation()
            self._final_e_and_l()
        return self.word.lower()

    def _plural(self) -> None:
        word = self.word
        if word.endswith("sses"):
            self.word = word[:-2]
        elif word.endswith(("ied", "ies")):
            self.word = word[:-2] if len(word) > 4 else word[:-1]
        elif word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
            self.word = word[:-1]

    def _past_and_gerund(self) -> None:
        word = self.word
        for ending in ("eedly", "eed"):
            if word.endswith(ending):
                if len(word) - len(ending) >= self.first:
                    self.word = word[: -len(ending)] + "ee"
                return
        for ending in ("ingly", "edly", "ing", "ed"):
            if word.endswith(ending):
                if _has_vowel(word[: -len(ending)]):
                    self.word = self._repair(word[: -len(ending)])
                return

    def _repair(self, word: str) -> str:
        """Give back the e that `-ed` and `-ing` cost (`hop` and `hope`), and take a doubled consonant away."""
        if word.endswith(("at", "bl", "iz")):
            return word + "e"
        if word.endswith(_DOUBLES):
            return word if len(word) == 3 and word[0] in "aeo" else word[:-1]  # add, egg and off are whole
        return word + "e" if self.first >= len(word) and _ends_short(word) else word

    def _final_y(self) -> None:
        if len(self.word) > 2 and self.word[-1] in "yY" and self.word[-2] not in _VOWELS:
            self.word = self.word[:-1] + "i"

    def _suffixes(self, table: tuple[tuple[str, str], ...], start: int) -> None:
        for suffix, replacement in table:
            if self.word.endswith(suffix):
                base = self.word[: -len(suffix)]
                if len(base) >= start and self._may_lose(suffix, base):
                    self.word = base + replacement
                return

    def _may_lose(self, suffix: str, base: str) -> bool:
        if suffix == "ogi":
            return base.endswith("l")
        if suffix == "li":
            return base[-1:] in _VALID_LI
        return suffix != "ative" or len(base) >= self.second

    def _derivation(self) -> None:
        for suffix in _STEP_4:
            if self.word.endswith(suffix):
                base = self.word[: -len(suffix)]
                if len(base) >= self.second and (suffix != "ion" or base[-1:] in ("s", "t")):
                    self.word = base
                return

    def _final_e_and_l(self) -> None:
        word = self.word
        if word.endswith("e"):
            base = word[:-1]
            if len(base) >= self.second or (len(base) >= self.first and not _ends_short(base)):
                self.word = base
        elif word.endswith("ll") and len(word) - 1 >= self.second:
            self.word = word[:-1]


def _region(word: str, *, special: bool) -> int:
    """Where the region after the first consonant that follows a vowel begins."""
    if special:
        start = next((len(start) for start in _SPECIAL_STARTS if word.startswith(start)), None)
        if start is not None:
            return start
    for at in range(1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _has_vowel(text: str) -> bool:
    return any(letter in _VOWELS for letter in text)


def _ends_short(word: str) -> bool:
    """Whether a word ends in a short syllable, as `hop` and `at` do and `how` and `bee` do not."""
    if len(word) == 2:
        return word[0] in _VOWELS and word[1] not in _VOWELS
    ending = word[-3:]
    return (
        len(ending) == 3
        and ending[0] not in _VOWELS
        and ending[1] in _VOWELS
        and ending[2] not in _VOWELS
        and ending[2] not in "wxY"
    )

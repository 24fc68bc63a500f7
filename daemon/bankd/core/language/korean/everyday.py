"""The words that anybody's Korean is made of, as terms: a noun, or the stem of a verb.

A long sentence has some of them by accident, whatever it is about, so they show less than others that it answers.
They are what is learnt in a first year of Korean, about people, time, the body, food, home, places, school, money and
feelings; written down from that, not counted in any text.
"""

from bankd.core.language.tables import words_in

EVERYDAY = words_in("korean_everyday", "everyday")

"""What a text says: terms for search, and statements for comparing.

wording and statement take a text apart, reading chooses by language, analysis gives search its terms.
korean and english hold what each language needs; thesaurus and paraphrases
know which words say the same; values are numbers, dates and units in both,
quantities what is as long or heavy in another unit.
dates are the days that a text speaks of.
tables reads the lists of words, which are data: `words/*.tsv`.
lexicon reads Korean without an analyser; likeness and opposites are quick questions about two texts.
Nothing here decides what becomes of a memory.
"""

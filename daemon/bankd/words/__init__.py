"""Korean and English texts: terms, statements, numbers, days. Pure; the word tables are data files (`*.tsv`).

analysis       terms of a text, with a morphological analyser or by the words of the bank
statement      a text as tokens that are the same for different wordings
english        an English text read into a statement
korean         a Korean text read into a statement
values         numbers, units, dates and hours, each normalised to one form
days           spans of days, the calendar, how far away a day is; the days that a question asks about
day_rules      what a rule for days is; rules for digits, slashes, feasts
day_english    how English says days
day_korean     how Korean says days
day_mentions   the days that a text names
thesaurus      synonyms in both languages; Hangul that spells a Latin word by its sound
tables         reads the word tables
"""

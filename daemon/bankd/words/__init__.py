"""Korean and English texts: terms, numbers, days. Pure; tables are data files.

analysis                terms, lexicon, stems
day_english             English days
day_korean              Korean days
day_mentions            days in texts
day_questions           asked days
day_rules               grammar, feasts
days                    spans, labels
english                 English read
english_function_words  words/*.tsv, read late
korean                  Korean read
korean_function_words   words/*.tsv, read late
korean_synonyms         words/*.tsv, read late
loanwords               sounds to Latin
reading                 read once
statement               text as tokens
tables                  words/*.tsv, read late
thesaurus               words that say the same
values                  numbers, units, hours
"""

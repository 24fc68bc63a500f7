"""Whether two memories say the same, and what differs if not.

exact_match finds the same words, duplicates judges likeness, guard looks at what differs, with roles and voice
(who does what to whom), phrase_structure (in what order) and series (which of many). spelling writes both alike; gist puts
wording aside, restating and rewording judge what is left; change finds what says that something is no longer so,
by the words of it (telling), by what ends a state (ending), by another number (measuring), of what both speak of (subjects); another_value what only
has another value.
known_pairs is what memories of the bank that look alike are to each other: near, the same, or another value of one thing.
"""

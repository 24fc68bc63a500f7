"""Whether two memories say the same, and what differs if not.

exact_match finds the same words, duplicates judges likeness, guard looks at what differs. gist and rewording put wording
aside; change finds what tells that something is no longer so.
conflicts finds memories that say different values of the same thing; known_pairs is which looked alike at the last look.
"""

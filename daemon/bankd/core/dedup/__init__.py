"""Whether two memories say the same, and what differs if not.

exact_match finds the same words, duplicates judges likeness, guard looks at what differs.
conflicts finds memories that say different values of the same thing.
"""

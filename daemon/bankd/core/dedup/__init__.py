"""Whether two memories say the same, nearly the same, or another value of one thing.

slots reads a statement once into what is compared; compare is the one comparison; pairs are the memories of the bank that look
alike, as the catalog keeps them; exact_match is the key of equal texts.
"""

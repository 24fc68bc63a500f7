"""Whether a memory is the same as another, near it, or newer. Pure.

compare  the one comparison of two statements
pairs    pairs of memories of the bank, and text that is equal in its normal form
reading  the text of a memory read into a statement
slots    a statement read once into what is compared
"""

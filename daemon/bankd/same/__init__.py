"""Whether a memory is the same as another, near it, or newer. Pure.

compare  the one comparison
pairs    pairs, equal text
reading  a memory read into tokens
slots    read once
"""

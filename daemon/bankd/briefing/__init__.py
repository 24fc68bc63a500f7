"""Which memories are worth saying unasked, and how agents are told them. Pure.

choose    the modes of a briefing: what each says, and when it is due
facts     what briefings choose from, put together from pages, events and logs
recalled  answers of search as agents are given them, in a block marked as data
shown     what was shown to whom; how many tokens a text has
"""

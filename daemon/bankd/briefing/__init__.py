"""Which memories are worth saying unasked, by pure rules.

choose    what is said, to whom
facts     what is known
recalled  answers, briefs for agents
shown
"""

"""What is worth saying unasked: the modes of a briefing, what each chooses from the bank, and what was said already.

facts are what is known, assembled by assembling; modes are the occasions, by names; choosing picks, loops finds open ends,
shown leaves out what was seen, tokens keeps it short.
Here: pure functions of (facts, moment). Not here: who fires them (`agents`, `service`), and where facts come from.
"""

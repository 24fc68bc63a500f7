"""What is worth saying unasked: the modes of a briefing, what each chooses from the bank, and what was said already.

Here: pure functions of (facts, moment). Not here: who fires them (`agents`, `service`), and where facts come from.
"""

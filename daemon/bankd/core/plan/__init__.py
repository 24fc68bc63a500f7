"""The plan of a run: everything it will change, how it is checked, and what is told of it.

plan is the value, judging and confirming fill it, moving takes lines out of the inbox.
check refuses a plan that loses something or is too large; report is what people and programs read.
"""

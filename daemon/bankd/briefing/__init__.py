"""Which memories an agent or person is told without asking, and in what form. Pure.

assemble  the facts that briefings choose from, put together from pages, events and logs
choose    the modes of a briefing: what each says, and when it is due
facts     what those facts are
recalled  answers of search as agents are given them, in a block marked as data
shown     what each reader was shown; how many tokens a text has
"""

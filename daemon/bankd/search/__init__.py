"""From a question to its answers: read it, find candidates, score them, judge them.

What this room reads from (index, analyser, catalogue) comes through ports.

    request      a question as it comes in, hits as they go out, and the settings of search
    bank_search  the one owner of queries, and of changes that the index takes in
    answer       the answer of a bank: its memories, then logs and archive
    find         candidates from one index, ranked; newer before older, near ones as one; which are good enough to be an answer
    score        a question as weighted terms, and the score of a candidate: its words, its place, and priors (confidence, age, use, pins)
    meaning      what sentence vectors find near, and one score of words and meaning
    days         memories of the days that a question asks about
    parts        the lines of a passage that answer
    related      what is related to a memory: links, contradictions, shared use; memories that look like a new line
    indexable    what a page or a log gives to the index
"""

"""From a question to its answers: read, find, score, judge. What it reads from comes through ports.

answer       bank, logs, archive
bank_search  owner of queries, changes
days         asked days
find         one index ranked
floor        or nothing relevant
indexable    what pages give
look_alikes  candidates for runs
meaning      vectors beside words
parts
passages     passages, parts
read         text to terms
related      ties
request      asked, answered
score        words, tree, priors
suppression
weigh        weights of words
"""

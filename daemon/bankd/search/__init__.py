"""A query over one index, from its text to what is shown.

`finding` the story: read, find, rank, keep what is an answer · `reading_query` its words · `asked_days` its days ·
`by_meaning` what vectors add · `suppressing` what was beaten steps back ·
`ranking_options` what bears on it beside words · `associations` what belongs to a memory, a page or a person
"""

"""How answers are found and ordered.

query is what is asked and answered, search_request how programs ask it; spacing, typos, query_form and question_words read it.
scoring weighs words, proximity and place; ranked puts in order; priors, floor and answers say what goes first and what is no answer; page_order which page; relations what answers are to each other.
indexable, bank_pages and tree_index are what a page gives to the index; evaluation measures a ranking.
"""

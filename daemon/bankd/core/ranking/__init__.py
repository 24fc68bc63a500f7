"""How answers are found and ordered.

query is what is asked and answered, search_request how programs ask it; as_typed and question_words read it, weighing weighs it.
scoring compares words and place; ranked puts in order, pages too; priors, floor and answers say what goes first and what is no answer; relations what answers are to each other.
indexable, bank_pages and tree_index are what a page gives to the index; evaluation measures a ranking.
"""

"""The plan of a run: everything it will change, how it is checked, and what is reported of it.

plan is the value, made of decisions; judging fills it, revising lets memories follow edited lines, memory_moves takes memories from page to page,
closing leaves out pages that cannot be written, batches divides long histories, held_back is what waits for a person.
check refuses a plan that loses something or is too large, and finds what a bank has lost; report is what people and programs read.
"""

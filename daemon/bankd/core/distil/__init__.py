"""Prose becomes memories: what a model is asked, and what of its answer stands in the log that it names.

prompts is what is asked and answered · sections cuts logs, observing asks about them, grounding judges the answer:
attesting (and attesting_values) whether all of it is said_in_log, reckoning what its amounts make, aligning lays it over sentences, exchanging and turning judge what is left over,
overstating what it makes more of; by the stretches of a sentence attributing who does it, dating on which day, denying what is not so, displacing what has the place of another thing and misnaming what it calls otherwise; all of passages, which rewriting spells out; mending asks once more about what is not believed · composing writes it as lines, conflicts says what these may
supersede · insights is what memories say together · enrichment is what is written for memories, to find them by · proposing does without a model.

Here: pure functions of (logs, answers, policy). Not here: who runs the model (`adapters.models`) and when (`cycle`).
"""

"""Prose becomes memories: what a model is asked, and how its answer is written down.

prompts is what is asked and answered · sections cuts logs, observing asks about them, verifying asks whether they say what was made of them ·
composing writes as lines what `grounding` believes, and what a person should look at, conflicts says what these may supersede ·
insights is what memories say together · enrichment is what is written for memories, to find them by · matching asks what memories are to those like them · proposing does without a model.

Here: pure functions of (logs, answers, policy). Not here: who runs the model (`adapters.models`) and when (`cycle`).
"""

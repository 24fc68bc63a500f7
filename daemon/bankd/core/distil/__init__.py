"""Prose becomes memories: what a model is asked, and what of its answer stands in the log that it names.

prompts is what is asked and answered; enrichment is what is written for memories, to find them by. Here: pure functions of (logs, answers, policy). Not here: who runs the model
(`adapters.models`) and when (`cycle`).
"""

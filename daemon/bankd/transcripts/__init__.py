"""Conversations of agents and chat services, read as logs. Pure.

day_logs  turns as the text of logs, and the keys of turns that a log has
formats   every format of a conversation, read as turns
"""

"""Conversations of agents and chat services, read as logs. Pure.

day_logs  conversations as logs
formats   turns of all
"""

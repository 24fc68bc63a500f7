"""The rules of bankd: functions of (state, facts, now, policy).

Nothing below this package reads a file, a clock or the environment, starts a process or logs.
"""

"""Thousands of banks on many machines: what `bankctl fleet` does, over PostgreSQL.

joining where the database is, and how banks come, go and get their hour · worker a night, and the process that does them
"""

"""Credentials in texts: found and masked. Pure.

screening  what is found, and masks; tables: shapes of issued keys (issued.tsv), places of passwords (given.tsv), words for
           secrets and values that are none (words.tsv)
"""

"""Credentials in texts: found and masked. Pure.

screening  shapes, masks
values     named, placed
"""

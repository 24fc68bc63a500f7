"""Credentials in a text: found before it reaches the bank, and masked wherever it is shown.

screening finds and masks, after undoing full-width and invisible letters; numbers of people and cards by their check
digits. shapes knows keys by what their issuers document; names finds what a text calls a password or key,
positions what stands where one does, and values judges whether it can be one. No detector knows every secret: the user's own patterns (`secrets.patterns`)
come on top.
"""

"""Credentials in a text: found before it reaches the bank, and masked wherever it is shown.

screening finds and masks, undoing full-width and invisible letters first.
shapes knows keys by what their issuers document, numbers by their check digits.
names finds what a text calls a password or key, values judges whether what follows can be one.
No detector knows every secret: the user's own patterns (`secrets.patterns`) come on top.
"""

"""References between files: found, resolved, and rewritten when what they name has moved.

references finds them, resolve says what each leads to, render writes a target in the style of another. relink
rewrites a file, restyle says how, linking asks the graph which references a layout touches. points says how far a
reference leads: nowhere, to a file, or to the place in it; mentions, whom a text names.
"""

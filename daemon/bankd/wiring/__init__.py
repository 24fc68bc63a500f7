"""Real parts put together: the only room that knows both the use cases and the outside.

asking        one bank asked from outside: by its daemon, or by its index kept open
banks         the banks of the user as one pool, and one answer out of all
held          a bank as the daemon holds it: lock, settings, search, children
models        choosing a language model: found, tried once, written into the settings
probing       status, metrics and the checks of doctor: a workspace and the computer around it
reader        a bank as agents read it, each call by itself
runner        the daemon's runs, in a process of their own; imports; briefings as files
search        search put together for a workspace, and the settings that it needs
workspace     a workspace opened, to read or to write
"""

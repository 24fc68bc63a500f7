"""Real parts put together: the only place that knows both use cases and the outside.

asking        daemon or index, kept
banks         one pool
brief_files
held          lock, children, settings
probing       the computer around
reader        bank between calls
runner        runs in a child
search        BankSearch, kept settings
served_hooks
serving       service's parts
workspace     a workspace opened
"""

"""The settings of a workspace: read, checked, and told with file and line.

patterns   RE2
routing    rules, examples
schema     settings by schema
workspace  read, checked, folders
yaml       lines kept
"""

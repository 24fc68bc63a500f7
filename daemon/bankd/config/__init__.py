"""The settings and rules of a workspace: read, checked, and each problem reported with its file and line.

workspace  all of a workspace: settings, rules, secret patterns, and where `memory/` and `bank/` are
schema     what each setting of bankd.yaml may be
routing    the rules of routing.yaml, and the classifier for lines that no rule claims
patterns   regular expressions that take linear time (RE2)
changing   one setting or rule changed in its file, comments kept
yaml       YAML into nodes that keep their lines, without anchors and guessed types
"""

"""The settings and rules of a workspace: read, checked, and each problem reported with its file and line.

workspace  all of a workspace: settings and how one is changed, rules, secret patterns, where `memory/` and `bank/` are
routing    the rules of routing.yaml, their patterns, and the classifier for lines that no rule claims
yaml       YAML into nodes that keep their lines, without anchors and guessed types
"""

"""The page that `bankctl ui` serves on the loopback interface.

application  addresses, process
desk         waiting cards, decisions
guard        tokens, origins
memories     memory, page, search
pictures     SVG, Korean words
views        health, map
"""

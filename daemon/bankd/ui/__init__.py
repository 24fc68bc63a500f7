"""The page that `bankctl ui` serves on the loopback interface.

application  addresses, HTML, the process that serves
guard        which requests are let in: hosts, origins, token, session
pictures     the points of the pictures that templates draw; the icons (icons.tsv)
review       one card at a time with its decisions; add, edit, forget, settings, rules
views        the other views (their words: words.tsv): home, people, map, activity, health; search, memory, page or log, timeline
"""

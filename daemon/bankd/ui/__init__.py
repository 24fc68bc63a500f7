"""The page that `bankctl ui` serves on the loopback interface.

application  addresses, HTML, the process that serves
guard        which requests are let in: hosts, origins, token, session
memories     views: search, memory, page or log, timeline
pictures     SVG pictures; the icons (icons.tsv)
review       one card at a time with its decisions; add, edit, forget, settings, rules
views        views: home, people, map, activity, health
"""

"""The page that `bankctl ui` serves on the loopback interface.

application  addresses, HTML, the process that serves
desk         cards that wait for a person, and their decisions
guard        which requests are let in: hosts, origins, token, session
memories     views: search, memory, page or log, timeline
pictures     SVG pictures; the page's words in Korean (korean.tsv)
views        views: health, fading, runs, map
"""

"""The page: eight views of a bank in the browser of this machine, and a person's decisions, the way of the commands.

    serving       a socket on the loopback interface, a link with a one-time token, uvicorn
    guard         what each request must be, before anything else looks at it
    application   the addresses, which view answers each, and how that becomes HTML; asked: what a view gets and gives
    searching, memories, desk, map_view, health
                  the views: what a page shows, from the same functions as the commands
    actions       a decision becomes the same call as that of its command, and names the run that can be taken back
    pictures      curves, strips, maps and graphs as SVG
    words         what the page says, in Korean
    templates, static
                  the looks; everything works without scripts

Looking counts nothing: no view records a recall or a use, and none opens a workspace to write.
"""

"""bankd turns an agent's daily logs into a bank of Markdown memories, and finds them again.

The rooms, from the programs that people type down to plain rules; a room uses only those below it:

    __main__      the program bankd: a command of cli, or else the service
    fleet         many banks on many machines, over PostgreSQL or OpenSearch
    cli, service  the commands; the daemon
    agents        what agents speak to: hooks, the MCP server, how they are connected
    ui, finder    the page in a browser; the finder in a terminal
    translate     what bankd says in the reader's language (korean.po)
    wiring        puts real parts together: the one room that knows use cases and the outside
    app           use cases, each one thing that a person or a run does
    index         the search index: SQLite and tantivy
    workspace     the files of a workspace: watched, read, catalogued, written
    workers       Kiwi, sentence vectors and language models, in processes of their own
    storage       files written so that a crash loses nothing
    system        clock, sockets, processes, systemd
    config        settings and rules: read and checked
    cycle         one run on one screen
    night         what a language model is asked, and what of its answers is believed
    search        from a question to its answers
    transcripts   conversations of agents and chat services
    briefing      which memories are worth saying unasked
    memory        the life of a memory: from a line of a log to the archive
    same          is a memory the same as another, near it, or newer
    health        which runs are due; how the daemon is doing
    layouts       pages split, merged and moved, with every link
    edits         changes of files that can be repeated and undone
    pages         Markdown to the byte: blocks, links, memories
    words         Korean and English: terms, numbers, days
    secrets       credentials found and masked
    ports         what rules and use cases need from outside
    settings      the settings as rules see them
    errors        errors, by who must act
"""

from __future__ import annotations

__version__ = "0.1.0"

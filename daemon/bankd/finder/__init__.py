"""The finder: `bankctl` alone on a terminal. Type, see, open in the editor; all banks with a key.

    looks     what a row and the preview show, and how an editor opens a line: pure
    screen    the application, by textual; it asks in a thread, and the last question wins

Looking counts nothing, as on the page.
"""

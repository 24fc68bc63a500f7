"""Markdown pages: reading blocks, memories and links, and writing link targets, without changing other bytes. Pure.

scanner     blocks of a text, by lines; nested quotes and footnotes
page        a page of the bank: title, headings, memories; hubs and the names of parts
memory      one memory: its line, its id, its confidence
references  link targets in running text; references and definitions of a whole file
resolve     what a target leads to, also inside a page; a target in the style of another
names       the files that a link can lead to
text        text made safe for terminals and for programs that take only UTF-8
bare_json   JSON without the package, for hooks
"""

"""Markdown: blocks, links, memories and their anchors, to the byte. Pure.

anchors     headings, anchors
bare_json
blocks      kinds of block
inline      code, links
memory      a memory's line
names       paths, text
page        memories, lines, titles, hubs
references  what refers
resolve     whither, as written
scanner     lossless scan, nesting
text
"""

"""Pages divided, merged and moved, with every link that depends on them. Pure.

merge      layouts, and those of a merge and of a move
split      when and where a page is divided
relink     new link targets for a layout
links      which references a layout touches, and how far one leads
rearrange  the operations of a layout and its last check; links that follow blocks
"""

"""Pages divided, merged and moved, with every link that depends on them. Pure.

merge      layouts, and those of a merge and of a move
split      when and where a page is divided
links      which references a layout touches, how far one leads, and new targets for those that change
rearrange  the operations of a layout and its last check; links that follow blocks
"""

"""Pages that are divided, put together or moved, and the check that nothing was lost on the way.

split and split_points divide a page into parts, merge puts them back, moves renames.
rearrange turns a layout into operations, verify_layout looks at the result before it is written.
block_links and rebasing let links follow, to and inside the lines that move.
"""

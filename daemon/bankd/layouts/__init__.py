"""Pages divided, put together and moved, with every link that depends on them. Pure.

links      touched, how far
merge      layouts, parts back
rearrange  operations, last check
relink     links follow words
split      when, where
"""

"""What the use cases need from the outside, in their own words.

`searching` index to read and write · `reading` what makes an index · `bank` memories, links · `logs` raw logs ·
`storage` files, transactions · `models` language models
"""

"""What a language model is asked at night, and which of its answers are believed. Pure but for the model handed in.

asking     prompts, their schemas, and how answers are read
sections   the prose of logs, cut into sections with keys and into pieces for a model
distil     sessions become lines of a log
believe    which lines of a model are believed: by rules, then by the model, asked again
attest     whether the values and names of a line stand in its sources
propose    without a model: what asks to be remembered, by ways of saying it
insights   what several memories say together
match      a model compares memories with those like them
retention  the steps of a run that merge near-copies and retire memories
"""

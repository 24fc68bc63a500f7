"""What a language model is asked at night, and which of its answers are believed. Pure, except for the model passed in.

asking     prompts, their schemas, and how answers are read; the instructions and trials stand in `prompts/`
sections   the prose of logs, cut into sections with keys and into pieces for a model
distil     sessions become lines of a log
believe    which lines of a model are believed: values and names are in the sources, and the model, asked again, says so
propose    without a model: finds sentences worth remembering, by set phrases
insights   what several memories say together
match      a model compares memories with those like them
retention  the steps of a run that merge near-copies and retire memories
"""

"""What a language model is asked at night, and which of its answers are believed. Pure but for the model handed in.

sections   the prose of logs, cut into sections with keys
asking     prompts, schemas and answers; lines of a model as log text; verifying them
attest     whether the values and names of a line stand in its sources
distil     sections become lines of a log, by a model or by rules
enrich     questions by which memories are found
insights   what several memories say together
match      a model compares memories with those like them
retention  the steps of a run that merge near-copies and retire memories
"""

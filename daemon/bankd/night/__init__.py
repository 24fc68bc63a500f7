"""What a language model is asked at night, and what of its answers is believed. Pure but for the model that is handed in.

asking     prompts, answers, verdicts
attest     does it stand there
distil     sections to lines
enrich     questions for memories
insights   several say together
match      likeness by model
retention  steps of a run
sections   prose in sections
"""

"""Whether a line that a model wrote says only what the lines of the log say that it names: what rules can see of it.

    passages     texts taken apart: the line, and the sentences of the log
    named_days   the days that a text names, by all that they may mean
    attesting    whether each day, number, time, code and name of a line stands in those sentences

Who does what, and what is denied, planned or guessed, no rule here looks at: the model verifies that (`distil.verifying`).

Here: pure functions of (line, sentences, day). Not here: what a model is asked (`distil`), and who asks it.
"""

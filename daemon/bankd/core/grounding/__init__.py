"""Whether a line that a model wrote says only what the lines of the log say that it names.

    passages             texts taken apart; rewriting spells out before what notes cut short
    aligning             lays a line over a sentence word by word; stretches cut a sentence where another thing may begin
    said_in_log          what the log says: words, values, days; named_days what these may mean, reckoning what its amounts make
    attesting            whether each name, code and day stands there; attesting_values each number and time
    exchanging, turning  what stands for another value, name or thing; what is denied other than there
    attributing, dating, denying, displacing   the same by stretches: who does it, when, what is not so, which thing
    misnaming, overstating   a name with another syllable or of nobody; more than is said: a plan as done, a guess as known
    ungrounded           asks all of them

Here: pure functions of (line, sentences, day). Not here: what a model is asked (`distil`), and who asks it.
"""

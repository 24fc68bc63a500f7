"""Language models that the user named: asked by a child process, within a budget, and what they said is kept.

door    what a run asks: kept replies, the budget of a day, retries, one repair
replies what was said and spent, in events/replies/
worker  the child: validates what comes back
wire    the wire formats: openai, anthropic, a command
"""

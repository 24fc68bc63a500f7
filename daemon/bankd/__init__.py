"""bankd turns an agent's daily logs into a bank of Markdown memories, and finds them again.

Where things are:
    cli, service      entry points: arguments, printing, exit codes; start, ready, loop, stop
    wiring            the only module that names adapters
    config, shipped   settings; the template, rules and units that come with the package
    cycle, search     the two stories a reader comes for
    ports             what the stories need from the outside, in their own words
    core              rules: pure, no I/O, no clock, no logging
    adapters          the outside world, one file a thing
    errors            who must act
"""

__version__ = "0.1.0"

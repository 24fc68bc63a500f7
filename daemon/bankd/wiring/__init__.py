"""Assembly: it puts a workspace, its search and its service together from adapters.

workspace opens one for a command, engine for the daemon, runner does the daemon's runs in a process of their own.
search_service and search_server put search together, run_index and tree_file keep index and tree file current.
configuration reads settings and rules, recording writes down what every run did;
facts and trusting look at the disk and the clock.
"""

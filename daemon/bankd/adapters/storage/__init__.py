"""The one layer that writes under bank/, archive/ and events/.

tree keeps every path inside the workspace, staging swaps files in, transactions commits, recovery finishes.
journals, trash and events are what it writes down; segments are the files of events, packing makes old ones small
(ignored says where a repository would lose them); disk and syscalls are the system below; lock keeps others out.
"""

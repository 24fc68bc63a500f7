"""The contents of one workspace, as use cases ask for them: watched, read, catalogued, written.

catalog  the catalog of pages and logs, and the memories on the pages
logs     the raw logs, and which of them changed since they were read; the sources of an import
graph    the references between files
facts    the state of a workspace for status and doctor, the trusted clock, the ledger of runs and their reports; the traces
         of a text that is purged
waiting  transcripts that wait to be imported, and whether anything waits for a run
watcher  notices changed files, in its own thread: by hints from the kernel, and by comparing with their last known state
"""

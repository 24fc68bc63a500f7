"""The files of a workspace: watched, read, catalogued, written.

catalog       what stands where
facts         how it stands
graph         references
import_files  files, archives
inotify       kernel hints
logs          raw logs
runs          ledger, reports
snapshot      seen, judged
watcher       changes noticed
writer        writes, traces
"""

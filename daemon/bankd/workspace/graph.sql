-- The references between files, and the moves that links have not followed. Raise `_FORMAT` in graph.py with each change.
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, digest TEXT) WITHOUT ROWID;
CREATE TABLE links (source TEXT, key BLOB, kind TEXT, line INTEGER, first INTEGER, last INTEGER, target BLOB,
                    angled INTEGER, reach INTEGER, led TEXT, is_lost INTEGER);
CREATE INDEX links_source ON links (source, target);
CREATE INDEX links_key ON links (key);
CREATE INDEX links_lost ON links (is_lost) WHERE is_lost;
CREATE TABLE ids (path TEXT, id TEXT);
CREATE INDEX ids_path ON ids (path);
CREATE INDEX ids_id ON ids (id);
CREATE TABLE moved (old TEXT PRIMARY KEY, new TEXT) WITHOUT ROWID;

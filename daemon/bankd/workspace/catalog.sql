-- What runs know of the files, memories and logs of a workspace. Raise `_FORMAT` in catalog.py with each change.
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER) WITHOUT ROWID;
CREATE TABLE memories (
    path TEXT NOT NULL, line INTEGER NOT NULL, id TEXT, key TEXT NOT NULL, tag TEXT, hundredths INTEGER, day TEXT, written BLOB NOT NULL
);
CREATE INDEX memories_path ON memories (path);
CREATE INDEX memories_id ON memories (id);
CREATE INDEX memories_key ON memories (key);
CREATE TABLE superseded (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX superseded_new ON superseded (new);
CREATE TABLE projects (id TEXT, project TEXT, PRIMARY KEY (id, project)) WITHOUT ROWID;
CREATE TABLE noted (what TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE looked_at (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE to_look_at (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE alike (
    older TEXT NOT NULL, newer TEXT NOT NULL, relation TEXT NOT NULL, reason TEXT NOT NULL, is_dated INTEGER NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (older, newer)
) WITHOUT ROWID;
CREATE INDEX alike_newer ON alike (newer);
CREATE TABLE matched (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER memory_came AFTER INSERT ON memories WHEN new.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (new.id); END;
CREATE TRIGGER memory_went AFTER DELETE ON memories WHEN old.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (old.id); END;
CREATE TABLE held_back (log TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT, text TEXT, reason TEXT, key TEXT);
CREATE INDEX held_back_log ON held_back (log);
CREATE TABLE lines (
    log TEXT NOT NULL, place INTEGER NOT NULL, id TEXT, key TEXT, pairs BLOB, hundredths INTEGER, PRIMARY KEY (log, place)
) WITHOUT ROWID;
CREATE TABLE questions (
    change INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, memory TEXT NOT NULL, questions TEXT NOT NULL
);
CREATE INDEX questions_log ON questions (log, memory);
CREATE TABLE prose (log TEXT PRIMARY KEY, lines INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE unended (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, since REAL) WITHOUT ROWID;

-- What an index knows about each page, memory and use.
-- Long columns stand last: SQLite then reads little of each page when it counts over all of them.
CREATE TABLE pages (
    page INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, stamp TEXT NOT NULL, hash TEXT NOT NULL,
    provisional INTEGER NOT NULL, memories INTEGER NOT NULL, texts INTEGER NOT NULL, words INTEGER NOT NULL,
    title TEXT NOT NULL, headings TEXT NOT NULL, keywords TEXT NOT NULL, terms BLOB NOT NULL
);
CREATE TABLE memories (
    row INTEGER PRIMARY KEY, page INTEGER NOT NULL, place INTEGER NOT NULL, line INTEGER NOT NULL,
    id TEXT, tag TEXT, hundredths INTEGER, day TEXT, learned TEXT, entities TEXT NOT NULL, heading TEXT NOT NULL, text TEXT NOT NULL, is_text INTEGER NOT NULL,
    sentences TEXT NOT NULL, heading_terms TEXT NOT NULL, denies INTEGER NOT NULL,
    provisional INTEGER NOT NULL, about TEXT NOT NULL,
    questions TEXT NOT NULL, mentions TEXT NOT NULL, asked TEXT NOT NULL
);
CREATE TABLE questions (log TEXT NOT NULL, memory TEXT NOT NULL, questions TEXT NOT NULL, PRIMARY KEY (memory, log)) WITHOUT ROWID;
CREATE TABLE dates (id TEXT PRIMARY KEY, learned TEXT, changed TEXT) WITHOUT ROWID;
CREATE TABLE uses (memory TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, run TEXT NOT NULL, value INTEGER,
    PRIMARY KEY (memory, kind, at, run)) WITHOUT ROWID;
CREATE TABLE usages (memory TEXT PRIMARY KEY, days INTEGER NOT NULL, last TEXT, importance INTEGER, shown INTEGER NOT NULL)
    WITHOUT ROWID;
CREATE TABLE readings (run TEXT PRIMARY KEY, terms TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX memories_id ON memories (id) WHERE id IS NOT NULL;
CREATE INDEX memories_of_page ON memories (page, place);
CREATE INDEX provisional_pages ON pages (page) WHERE provisional;
CREATE INDEX undescribed_pages ON pages (path, memories, texts) WHERE keywords = '';
CREATE INDEX stamps_of_pages ON pages (path, stamp);
CREATE INDEX sums_of_pages ON pages (memories, texts, words);
CREATE INDEX used_in_run ON uses (run, memory) WHERE kind = 'used';
CREATE TABLE meanings (row INTEGER NOT NULL, key INTEGER);
CREATE INDEX meanings_by_row ON meanings (row);
CREATE INDEX meanings_by_key ON meanings (key);
CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN INSERT INTO meanings VALUES (new.row, NULL); END;
CREATE TRIGGER memory_gone AFTER DELETE ON memories BEGIN DELETE FROM meanings WHERE row = old.row; END;

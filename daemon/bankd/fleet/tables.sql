-- The banks of a fleet, how their nights ended, and who may search which bank.
CREATE TABLE banks (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL, root text UNIQUE NOT NULL,
    storage text NOT NULL, zone text NOT NULL, at time NOT NULL, due timestamptz NOT NULL, is_shared boolean NOT NULL DEFAULT false
);
CREATE INDEX banks_due ON banks (due);
CREATE TABLE nights (
    bank text NOT NULL, night text NOT NULL, ended timestamptz NOT NULL, seconds real NOT NULL, tries integer NOT NULL,
    is_done boolean NOT NULL, said text NOT NULL, worker text NOT NULL, PRIMARY KEY (bank, night)
);
CREATE INDEX nights_ended ON nights (ended);
CREATE TABLE readers (
    bank integer NOT NULL REFERENCES banks (number) ON DELETE CASCADE, reader text NOT NULL, PRIMARY KEY (reader, bank)
);
CREATE TABLE settings (key text PRIMARY KEY, value text NOT NULL);

-- The shared search. What grows with the memories is partitioned by bank (`database.PARTITIONED`).
CREATE TABLE shared_banks (
    bank integer PRIMARY KEY, name text NOT NULL, build text NOT NULL, updated text NOT NULL,
    memories integer NOT NULL, words bigint NOT NULL,
    lengths bigint[] NOT NULL, meaning text NOT NULL, vectors integer NOT NULL
);
CREATE TABLE shared_memories (
    bank integer NOT NULL, row bigint NOT NULL, digest bytea NOT NULL, page bigint NOT NULL, place integer NOT NULL,
    line integer NOT NULL, id text, tag text, hundredths integer, day text, learned text, entities text NOT NULL,
    heading text NOT NULL, text text NOT NULL, is_text integer NOT NULL, sentences text NOT NULL,
    heading_terms text NOT NULL, denies integer NOT NULL, about text NOT NULL, mentions text NOT NULL, asked text NOT NULL,
    changed text, nodes text[] NOT NULL, names text[] NOT NULL, days integer[] NOT NULL,
    PRIMARY KEY (bank, row)
) PARTITION BY HASH (bank);
CREATE TABLE shared_pages (
    bank integer NOT NULL, page bigint NOT NULL, path text NOT NULL, terms bytea NOT NULL, PRIMARY KEY (bank, page)
) PARTITION BY HASH (bank);
CREATE TABLE shared_postings (
    bank integer NOT NULL, kind smallint NOT NULL, term text COLLATE "C" NOT NULL, many integer NOT NULL,
    rows bigint[] NOT NULL, counts smallint[] NOT NULL, lengths integer[] NOT NULL, PRIMARY KEY (bank, kind, term) INCLUDE (many)
) PARTITION BY HASH (bank);
CREATE TABLE shared_readings (
    bank integer NOT NULL, run text COLLATE "C" NOT NULL, terms text NOT NULL, PRIMARY KEY (bank, run)
) PARTITION BY HASH (bank);
CREATE TABLE shared_vectors (
    bank integer NOT NULL, row bigint NOT NULL, vector bytea NOT NULL, PRIMARY KEY (bank, row)
) PARTITION BY HASH (bank);
CREATE TABLE shared_relations (
    bank integer NOT NULL, kind text NOT NULL, one text NOT NULL, other text NOT NULL, is_dated boolean NOT NULL,
    PRIMARY KEY (bank, kind, one, other)
) PARTITION BY HASH (bank);
CREATE INDEX shared_terms ON shared_postings (term, kind, bank) INCLUDE (many);
CREATE INDEX shared_ids ON shared_memories (bank, id) WHERE id IS NOT NULL;

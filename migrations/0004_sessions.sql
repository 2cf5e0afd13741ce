-- Web sessions: a person who logged in with a password. Only the BLAKE2b-256 hash of a session's token is kept; a row
-- that is gone is a session that has ended.
CREATE TABLE sessions (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        hash BLOB NOT NULL UNIQUE,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL
);
CREATE INDEX sessions_user ON sessions (user);
CREATE INDEX sessions_expires ON sessions (expires_at);

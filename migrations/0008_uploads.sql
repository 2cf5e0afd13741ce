-- Files that were sent ahead of the submission that will take them, in DATA/uploads/ID. A row that is gone is an upload
-- that was taken, removed or too old.
CREATE TABLE uploads (
        id TEXT PRIMARY KEY,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        filename TEXT NOT NULL,
        size INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX uploads_user ON uploads (user);
CREATE INDEX uploads_expires ON uploads (expires_at);

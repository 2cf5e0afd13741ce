-- Files that came with a submission wait in DATA/uploads/UPLOAD until the turn's launch puts them into the task's output.
CREATE TABLE attachments (
        turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
        position INTEGER NOT NULL,
        filename TEXT NOT NULL,
        size INTEGER NOT NULL,
        upload TEXT NOT NULL,
        PRIMARY KEY (turn, position)
) WITHOUT ROWID;
CREATE INDEX attachments_upload ON attachments (upload);

-- What access to a deleted task is still decided on.
CREATE TABLE deleted_tasks (
        id TEXT PRIMARY KEY,
        environment INTEGER NOT NULL REFERENCES environments,
        created_by INTEGER,
        is_shared INTEGER NOT NULL,
        name TEXT,
        created_at INTEGER NOT NULL,
        deleted_at INTEGER NOT NULL,
        deleted_by INTEGER
) WITHOUT ROWID;

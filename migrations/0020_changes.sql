-- The commit that a task's work in a repository began with, in hex; empty when the remote had none yet. A pull moves it.
CREATE TABLE change_bases (
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        repository TEXT NOT NULL,
        base_commit TEXT NOT NULL,
        PRIMARY KEY (task, repository)
) WITHOUT ROWID;

-- What the work tree of a repository was when a turn ended. `tree` is the whole of it; kept_from and kept_to are the trees, in the
-- task's own repository, of what differs from the beginning, NULL when nothing does. Counts are NULL when they are not known;
-- left_out is a JSON array of files whose content was not saved.
CREATE TABLE saved_changes (
        turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
        repository TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state = 'saved' OR state = 'unavailable'),
        reason TEXT,
        base_commit TEXT,
        branch TEXT,
        tree TEXT,
        kept_from TEXT,
        kept_to TEXT,
        files INTEGER,
        additions INTEGER,
        deletions INTEGER,
        is_whole INTEGER NOT NULL,
        left_out TEXT,
        PRIMARY KEY (turn, repository)
) WITHOUT ROWID;

-- What people say of a task.
CREATE TABLE comments (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        author INTEGER REFERENCES users ON DELETE SET NULL,
        body TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        edited_at INTEGER
);
CREATE INDEX comments_task ON comments (task, rid);

-- Whoever watches the tasks is told; those of a task that is being deleted are not comments of any task any more.
CREATE TRIGGER comment_is_added AFTER INSERT ON comments BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'commented', t.id, t.environment, t.created_by,
                t.is_shared FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER comment_is_edited AFTER UPDATE OF body ON comments BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'commented', t.id, t.environment, t.created_by,
                t.is_shared FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER comment_is_removed AFTER DELETE ON comments BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'commented', t.id, t.environment, t.created_by,
                t.is_shared FROM tasks t WHERE t.rid = OLD.task;
END;

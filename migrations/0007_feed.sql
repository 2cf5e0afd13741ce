-- What happened to tasks, in the order of the commits, so that whoever was away can be told what was missed. Triggers
-- write it, in the same transaction as the change and whatever made it; only a creation is written by its statement, as
-- a trigger there would have every insertion look for rows that refer to the new one. `seq` goes on where it was for as long as the
-- newest row is kept. The last four columns decide on who may hear of a task that is gone.
CREATE TABLE task_changes (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        task_id TEXT NOT NULL,
        environment INTEGER NOT NULL,
        creator INTEGER,
        is_shared INTEGER NOT NULL
);

CREATE TRIGGER task_status_changes AFTER UPDATE OF status ON tasks WHEN OLD.status IS NOT NEW.status BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
                CASE NEW.status WHEN 'running' THEN 'started' WHEN 'queued' THEN 'queued' WHEN 'staged' THEN 'staged'
                ELSE 'ended' END,
                NEW.id, NEW.environment, NEW.created_by, NEW.is_shared);
END;

CREATE TRIGGER task_name_changes AFTER UPDATE OF name ON tasks WHEN OLD.name IS NOT NEW.name BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'renamed',
                NEW.id, NEW.environment, NEW.created_by, NEW.is_shared);
END;

-- Recorded as shared either way: those who could see it before are told that it is gone.
CREATE TRIGGER task_sharing_changes AFTER UPDATE OF is_shared ON tasks WHEN OLD.is_shared IS NOT NEW.is_shared BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER),
                CASE NEW.is_shared WHEN 0 THEN 'unshared' ELSE 'shared' END,
                NEW.id, NEW.environment, NEW.created_by, 1);
END;

CREATE TRIGGER task_marks_change AFTER UPDATE OF approved_at, rejected_at, is_winner, is_loser ON tasks
WHEN OLD.approved_at IS NOT NEW.approved_at OR OLD.rejected_at IS NOT NEW.rejected_at
        OR OLD.is_winner IS NOT NEW.is_winner OR OLD.is_loser IS NOT NEW.is_loser BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'marked',
                NEW.id, NEW.environment, NEW.created_by, NEW.is_shared);
END;

CREATE TRIGGER task_is_deleted AFTER DELETE ON tasks BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'deleted',
                OLD.id, OLD.environment, OLD.created_by, OLD.is_shared);
END;

-- Task groups: the same work done by several agents, and the reviews of it. A group is the tasks that carry its id; all of
-- them are in its environment. Variants have an index in the order in which they joined, reviews have none.
CREATE TABLE task_groups (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        environment INTEGER NOT NULL REFERENCES environments,
        name TEXT,
        name_source TEXT NOT NULL DEFAULT 'unset' CHECK (name_source = 'unset' OR name_source = 'chosen' OR
                name_source = 'generated'),
        created_by INTEGER REFERENCES users ON DELETE SET NULL,
        source TEXT NOT NULL,
        next_index INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL
);

-- A review keeps the group whose variants it judged when it is moved to another. A task with sources holds copies of what
-- is in others: see task_sources.
ALTER TABLE tasks ADD COLUMN is_judge INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN judge_mode TEXT CHECK (judge_mode = 'comparison' OR judge_mode = 'review');
ALTER TABLE tasks ADD COLUMN original_group_id TEXT;
ALTER TABLE tasks ADD COLUMN has_sources INTEGER NOT NULL DEFAULT 0;
CREATE INDEX tasks_original_group ON tasks (original_group_id) WHERE original_group_id IS NOT NULL;
-- Tasks outside groups are listed by themselves, however few they are among the others.
DROP INDEX tasks_group;
CREATE INDEX tasks_group ON tasks (group_id);
CREATE INDEX tasks_alone_environment ON tasks (environment, rid, is_shared, created_by, group_id)
        WHERE group_id IS NULL;
CREATE INDEX tasks_alone_environment_status ON tasks (environment, status, rid, is_shared, created_by, group_id)
        WHERE group_id IS NULL;
CREATE INDEX tasks_alone_creator ON tasks (created_by, rid, environment, is_shared, group_id) WHERE group_id IS NULL;
CREATE INDEX tasks_alone_creator_status ON tasks (created_by, status, rid, environment, is_shared, group_id)
        WHERE group_id IS NULL;

-- The tasks whose content a task holds copies of, also by way of others: who may not see all of them sees no content of
-- it. By id, for the copies outlive what they were made from.
CREATE TABLE task_sources (
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        source TEXT NOT NULL,
        PRIMARY KEY (task, source)
) WITHOUT ROWID;

-- A group as its audiences see it: 0 is everybody who may see the environment's shared tasks, -1 who may see private ones
-- too, and any other a user with private tasks in the group, or its creator. A user's row also tells what everybody's
-- says, so that nothing is counted twice. Lists read nothing else.
CREATE TABLE group_views (
        grp INTEGER NOT NULL REFERENCES task_groups ON DELETE CASCADE,
        audience INTEGER NOT NULL,
        environment INTEGER NOT NULL,
        creator INTEGER NOT NULL,
        status TEXT NOT NULL,
        shared_status TEXT,
        PRIMARY KEY (grp, audience)
) WITHOUT ROWID;
CREATE INDEX group_views_newest ON group_views (audience, grp, environment, status, creator, shared_status);
CREATE INDEX group_views_status ON group_views (audience, status, grp, environment, creator, shared_status);
CREATE INDEX group_views_environment ON group_views (audience, environment, grp, status, creator, shared_status);
CREATE INDEX group_views_environment_status ON group_views
        (audience, environment, status, grp, creator, shared_status);
CREATE INDEX group_views_creator ON group_views (audience, creator, grp, environment, status, shared_status);
CREATE INDEX group_views_creator_status ON group_views
        (audience, creator, status, grp, environment, shared_status);

-- What is written to it has the views of the group with that id made again.
CREATE VIEW group_refresh AS SELECT id FROM task_groups;
CREATE TRIGGER group_views_are_made INSTEAD OF INSERT ON group_refresh BEGIN
        DELETE FROM group_views WHERE grp = (SELECT rid FROM task_groups WHERE id = NEW.id);
        INSERT INTO group_views (grp, audience, environment, creator, status)
        SELECT g.rid, a.audience, g.environment, coalesce(g.created_by, 0),
                CASE WHEN count(t.rid) = 0 THEN 'pending'
                WHEN sum(t.status = 'running') THEN 'running'
                WHEN sum(t.status = 'completed') = count(t.rid) THEN 'completed'
                WHEN sum(t.status = 'failed') = count(t.rid) THEN 'failed'
                WHEN sum(t.status = 'staged') = count(t.rid) THEN 'staged'
                ELSE 'partial' END
        FROM task_groups g
        JOIN (SELECT -1 AS audience
                UNION SELECT created_by FROM task_groups WHERE id = NEW.id AND created_by IS NOT NULL
                UNION SELECT CASE WHEN is_shared THEN 0 ELSE created_by END FROM tasks
                WHERE group_id = NEW.id AND (is_shared OR created_by IS NOT NULL)) a
        LEFT JOIN tasks t ON t.group_id = NEW.id
                AND (a.audience = -1 OR t.is_shared OR t.created_by = a.audience)
        WHERE g.id = NEW.id GROUP BY a.audience;
        UPDATE group_views SET shared_status = (SELECT z.status FROM group_views z
                WHERE z.grp = group_views.grp AND z.audience = 0)
        WHERE grp = (SELECT rid FROM task_groups WHERE id = NEW.id) AND audience > 0;
END;

CREATE TRIGGER group_is_made AFTER INSERT ON task_groups BEGIN
        INSERT INTO group_refresh VALUES (NEW.id);
END;
CREATE TRIGGER task_joins_group AFTER UPDATE OF group_id ON tasks WHEN OLD.group_id IS NOT NEW.group_id BEGIN
        INSERT INTO group_refresh SELECT OLD.group_id WHERE OLD.group_id IS NOT NULL;
        INSERT INTO group_refresh SELECT NEW.group_id WHERE NEW.group_id IS NOT NULL;
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        VALUES (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'grouped',
                NEW.id, NEW.environment, NEW.created_by, NEW.is_shared);
END;
CREATE TRIGGER task_changes_group AFTER UPDATE OF status, is_shared, created_by ON tasks
WHEN NEW.group_id IS NOT NULL AND (OLD.status IS NOT NEW.status OR OLD.is_shared IS NOT NEW.is_shared
        OR OLD.created_by IS NOT NEW.created_by) BEGIN
        INSERT INTO group_refresh VALUES (NEW.group_id);
END;
-- A group goes with its last task.
CREATE TRIGGER task_leaves_group AFTER DELETE ON tasks WHEN OLD.group_id IS NOT NULL BEGIN
        DELETE FROM task_groups WHERE id = OLD.group_id
                AND NOT EXISTS (SELECT 1 FROM tasks WHERE group_id = OLD.group_id);
        INSERT INTO group_refresh VALUES (OLD.group_id);
END;

-- A snoozed pin is a pin, so that both are found without reading the many that were once.
CREATE INDEX pins_pinned ON pins (user, task) WHERE is_pinned;
CREATE INDEX pins_asleep ON pins (user, snoozed_until) WHERE snoozed_until IS NOT NULL;

-- Who alone is told of a change; NULL: whoever may see the task. A creator's own pin is a mark that all see.
ALTER TABLE task_changes ADD COLUMN audience INTEGER;
CREATE TRIGGER pin_is_made AFTER INSERT ON pins BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared, audience)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'pinned', t.id, t.environment, t.created_by,
                t.is_shared, CASE WHEN t.created_by = NEW.user THEN NULL ELSE NEW.user END
        FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER pin_changes AFTER UPDATE ON pins BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared, audience)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'pinned', t.id, t.environment, t.created_by,
                t.is_shared, CASE WHEN t.created_by = NEW.user THEN NULL ELSE NEW.user END
        FROM tasks t WHERE t.rid = NEW.task;
END;

-- Whether what a person creates is put on the person's own list.
ALTER TABLE users ADD COLUMN is_auto_pinning INTEGER NOT NULL DEFAULT 0;

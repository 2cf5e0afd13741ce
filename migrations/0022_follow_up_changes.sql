-- Listeners hear of what waits for a task: follow-ups that are sent, edited, moved, delivered or removed, each of which makes
-- or changes a version, and queues that are paused and resumed. The task itself may stay as it is meanwhile.
CREATE TRIGGER follow_up_is_sent AFTER INSERT ON follow_ups BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'follow_ups', t.id, t.environment, t.created_by,
                t.is_shared
        FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER follow_up_changes AFTER UPDATE OF version, place ON follow_ups
WHEN OLD.version IS NOT NEW.version OR OLD.place IS NOT NEW.place BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'follow_ups', t.id, t.environment, t.created_by,
                t.is_shared
        FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER queue_is_paused AFTER INSERT ON queue_pauses BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'follow_ups', t.id, t.environment, t.created_by,
                t.is_shared
        FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER queue_is_resumed AFTER DELETE ON queue_pauses BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), 'follow_ups', t.id, t.environment, t.created_by,
                t.is_shared
        FROM tasks t WHERE t.rid = OLD.task;
END;

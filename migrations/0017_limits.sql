-- Who waits for a slot, by lanes: what is taken from a queue is decided for all of one person's tasks with one agent in
-- one environment under one owner's account alike. Both columns are 0 for nobody.
ALTER TABLE tasks ADD COLUMN queue_user INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tasks ADD COLUMN queue_owner INTEGER NOT NULL DEFAULT 0;
UPDATE tasks SET queue_user = coalesce((SELECT n.sender FROM turns n WHERE n.rid = tasks.turn), created_by, 0),
        queue_owner = coalesce(created_by, 0) WHERE status IN ('queued', 'running');
CREATE INDEX tasks_lanes ON tasks (queue_user, queue_owner, environment, agent, active_at, turn) WHERE status = 'queued';
CREATE INDEX tasks_running ON tasks (queue_user, queue_owner, environment, agent) WHERE status = 'running';
DROP INDEX tasks_queue;

-- Accounts whose provider gives no more for now, by the name that services give them. `attempts` counts the limits in a
-- row that came without a time of their end.
CREATE TABLE account_limits (
        account TEXT PRIMARY KEY,
        resets_at INTEGER NOT NULL,
        is_told INTEGER NOT NULL,
        attempts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX account_limits_reset ON account_limits (resets_at);

-- What was spent on each day (UTC, days since the epoch) by each user and in each environment, by their ids.
CREATE TABLE spending (
        scope TEXT NOT NULL CHECK (scope = 'user' OR scope = 'environment'),
        id TEXT NOT NULL,
        day INTEGER NOT NULL,
        cost_micros INTEGER NOT NULL,
        PRIMARY KEY (scope, id, day)
) WITHOUT ROWID;
INSERT INTO spending SELECT 'user', user_id, at / 86400000, sum(cost_micros) FROM usage_ledger
        WHERE user_id IS NOT NULL GROUP BY user_id, at / 86400000;
INSERT INTO spending SELECT 'environment', environment_id, at / 86400000, sum(cost_micros) FROM usage_ledger
        GROUP BY environment_id, at / 86400000;
CREATE TRIGGER usage_is_spending AFTER INSERT ON usage_ledger WHEN new.cost_micros > 0 BEGIN
        INSERT OR IGNORE INTO spending SELECT 'user', new.user_id, new.at / 86400000, 0 WHERE new.user_id IS NOT NULL;
        INSERT OR IGNORE INTO spending VALUES ('environment', new.environment_id, new.at / 86400000, 0);
        UPDATE spending SET cost_micros = cost_micros + new.cost_micros
                WHERE scope = 'user' AND id = new.user_id AND day = new.at / 86400000;
        UPDATE spending SET cost_micros = cost_micros + new.cost_micros
                WHERE scope = 'environment' AND id = new.environment_id AND day = new.at / 86400000;
END;

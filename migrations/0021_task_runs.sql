-- Named tests and application servers that people run in a task's container. The row precedes the run: one that began is
-- never begun again, and what became of it is read from the runner's record, also by a later process. A test's name is the
-- environment's at the time; of an application server it is empty. `reason` says how it ended, `ready_at` when an
-- application server answered first.
CREATE TABLE task_runs (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        kind TEXT NOT NULL CHECK (kind = 'test' OR kind = 'app'),
        name TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state = 'starting' OR state = 'running' OR state = 'ended'),
        started_by INTEGER REFERENCES users ON DELETE SET NULL,
        requested_at INTEGER NOT NULL,
        started_at INTEGER,
        ready_at INTEGER,
        ended_at INTEGER,
        reason TEXT,
        exit_code INTEGER,
        message TEXT,
        port INTEGER
);
CREATE INDEX task_runs_task ON task_runs (task, kind, name, rid);
-- One application server a task, and one run of each test at a time.
CREATE UNIQUE INDEX task_runs_unfinished ON task_runs (task, kind, name) WHERE state != 'ended';
CREATE INDEX task_runs_ended ON task_runs (ended_at) WHERE ended_at IS NOT NULL;

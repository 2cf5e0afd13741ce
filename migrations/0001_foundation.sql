-- The first data model. Times are milliseconds since the epoch. Columns named after a table hold its rid. Checks of what is
-- written often compare with OR: for IN with more than two values SQLite builds and drops a table at each row written.

CREATE TABLE meta (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE settings (
        name TEXT PRIMARY KEY,
        value TEXT NOT NULL,
        updated_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE users (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        password_hash TEXT,
        is_disabled INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL
);

CREATE TABLE teams (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        created_at INTEGER NOT NULL
);

CREATE TABLE team_members (
        team INTEGER NOT NULL REFERENCES teams ON DELETE CASCADE,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        PRIMARY KEY (team, user)
) WITHOUT ROWID;
CREATE INDEX team_members_user ON team_members (user);

CREATE TABLE roles (
        rid INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE COLLATE NOCASE,
        is_predefined INTEGER NOT NULL
);

CREATE TABLE role_permissions (
        role INTEGER NOT NULL REFERENCES roles ON DELETE CASCADE,
        permission TEXT NOT NULL,
        PRIMARY KEY (role, permission)
) WITHOUT ROWID;

-- An environment keeps its rid and id when it is renamed; a removed one is kept so that access to its tasks can still
-- be decided on.
CREATE TABLE environments (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        removed_at INTEGER
);
CREATE UNIQUE INDEX environments_name ON environments (name) WHERE removed_at IS NULL;

CREATE TABLE bindings (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        user INTEGER REFERENCES users ON DELETE CASCADE,
        team INTEGER REFERENCES teams ON DELETE CASCADE,
        scope TEXT NOT NULL CHECK (scope IN ('environment', 'environments', 'server')),
        environment INTEGER REFERENCES environments,
        role INTEGER NOT NULL REFERENCES roles,
        created_at INTEGER NOT NULL,
        CHECK ((user IS NULL) != (team IS NULL)),
        CHECK ((scope = 'environment') = (environment IS NOT NULL))
);
CREATE INDEX bindings_user ON bindings (user);
CREATE INDEX bindings_team ON bindings (team);

-- Only the BLAKE2b-256 hash of a key is kept; `hint` is its first characters, for people to tell keys apart.
CREATE TABLE api_keys (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        hash BLOB NOT NULL UNIQUE,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        name TEXT NOT NULL,
        hint TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER,
        last_used_at INTEGER,
        revoked_at INTEGER
);
CREATE INDEX api_keys_user ON api_keys (user);

CREATE TABLE audit (
        rid INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        user INTEGER,
        user_name TEXT,
        credential TEXT NOT NULL,
        credential_id TEXT,
        task_id TEXT,
        action TEXT NOT NULL,
        target TEXT,
        details TEXT
);
CREATE INDEX audit_user ON audit (user);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit BEGIN SELECT raise(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit BEGIN SELECT raise(ABORT, 'audit rows are never deleted'); END;

-- rid grows with creation, so that "newest first" is its descending order in every index; it is never used again, for
-- what still works for a deleted task must not meet a new one.
CREATE TABLE tasks (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT,
        name_source TEXT NOT NULL DEFAULT 'unset' CHECK (name_source = 'unset' OR name_source = 'chosen' OR
                name_source = 'generated'),
        environment INTEGER NOT NULL REFERENCES environments,
        status TEXT NOT NULL CHECK (status = 'staged' OR status = 'queued' OR status = 'running' OR
                status = 'completed' OR status = 'failed' OR status = 'interrupted'),
        type TEXT NOT NULL DEFAULT 'manual',
        agent TEXT NOT NULL,
        model TEXT,
        reasoning_effort TEXT,
        speed TEXT,
        role TEXT,
        project_landing_mode TEXT,
        group_id TEXT,
        group_index INTEGER,
        created_by INTEGER REFERENCES users ON DELETE SET NULL,
        source TEXT NOT NULL,
        is_shared INTEGER NOT NULL,
        is_untrusted INTEGER NOT NULL DEFAULT 0,
        branches TEXT NOT NULL DEFAULT '{}',
        parent_task INTEGER REFERENCES tasks,
        root_task INTEGER REFERENCES tasks,
        task_depth INTEGER NOT NULL DEFAULT 0,
        supervisor_task INTEGER REFERENCES tasks,
        shown_under INTEGER REFERENCES tasks,
        project_root INTEGER REFERENCES tasks,
        created_at INTEGER NOT NULL,
        started_at INTEGER,
        finished_at INTEGER,
        active_at INTEGER NOT NULL,
        exit_code INTEGER,
        follow_up_count INTEGER NOT NULL DEFAULT 0,
        is_history_complete INTEGER NOT NULL DEFAULT 1,
        turn INTEGER,
        reply INTEGER,
        approved_by INTEGER,
        approved_at INTEGER,
        rejected_by INTEGER,
        rejected_at INTEGER,
        is_winner INTEGER NOT NULL DEFAULT 0,
        is_loser INTEGER NOT NULL DEFAULT 0,
        input_tokens INTEGER NOT NULL DEFAULT 0,
        output_tokens INTEGER NOT NULL DEFAULT 0,
        cache_read_tokens INTEGER NOT NULL DEFAULT 0,
        cache_write_tokens INTEGER NOT NULL DEFAULT 0,
        cost_micros INTEGER NOT NULL DEFAULT 0
);
-- Lists and their totals read nothing but these five, newest first, until a page is full or enough is counted.
CREATE INDEX tasks_environment ON tasks (environment, rid, is_shared, created_by);
CREATE INDEX tasks_environment_status ON tasks (environment, status, rid, is_shared, created_by);
CREATE INDEX tasks_creator ON tasks (created_by, rid, environment, is_shared);
CREATE INDEX tasks_creator_environment ON tasks (created_by, environment, status, rid, is_shared);
CREATE INDEX tasks_creator_status ON tasks (created_by, status, rid, environment, is_shared);
CREATE INDEX tasks_status ON tasks (status);
-- Who waits for a slot, longest first: a queued task is active when it is put into the queue.
CREATE INDEX tasks_queue ON tasks (active_at, turn) WHERE status = 'queued';
CREATE INDEX tasks_group ON tasks (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX tasks_parent ON tasks (parent_task) WHERE parent_task IS NOT NULL;
CREATE INDEX tasks_root ON tasks (root_task) WHERE root_task IS NOT NULL;
CREATE INDEX tasks_supervisor ON tasks (supervisor_task) WHERE supervisor_task IS NOT NULL;
CREATE INDEX tasks_shown_under ON tasks (shown_under) WHERE shown_under IS NOT NULL;
CREATE INDEX tasks_project_root ON tasks (project_root) WHERE project_root IS NOT NULL;

-- One row per submission. `shown` is what viewers read, `given` what the agent was given; conversation_index is NULL on
-- a discarded branch. Until its end a turn is waiting (for a slot), launching or running.
CREATE TABLE turns (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        ordinal INTEGER NOT NULL,
        conversation_index INTEGER,
        kind TEXT NOT NULL CHECK (kind = 'initial' OR kind = 'follow_up' OR kind = 'auto' OR kind = 'scheduled'),
        origin TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state = 'staged' OR state = 'waiting' OR state = 'launching' OR state = 'running' OR
                state = 'ended'),
        sender INTEGER,
        agent TEXT NOT NULL,
        shown TEXT NOT NULL,
        given TEXT,
        submitted_at INTEGER,
        started_at INTEGER,
        ended_at INTEGER,
        stop_kind TEXT CHECK (stop_kind IN ('stop', 'interrupt')),
        stop_user TEXT,
        stop_at INTEGER,
        end_type TEXT,
        exit_code INTEGER,
        signal INTEGER,
        failure_stage TEXT CHECK (failure_stage IN ('launch', 'agent')),
        failure_category TEXT CHECK (failure_category = 'auth' OR failure_category = 'rate_limit' OR
                failure_category = 'timeout' OR failure_category = 'setup' OR failure_category = 'unknown'),
        failure_message TEXT,
        UNIQUE (task, ordinal)
);
CREATE INDEX turns_unfinished ON turns (state) WHERE state != 'ended';

-- The parts an initial or follow-up text was made of, so that a later variant can leave the generated ones out.
CREATE TABLE prompt_parts (
        turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (turn, position)
) WITHOUT ROWID;

-- The visible reply of a turn: its end, as much as one result can carry, and its whole length in characters.
CREATE TABLE replies (
        turn INTEGER PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
        body TEXT NOT NULL,
        characters INTEGER NOT NULL,
        replied_at INTEGER
);

-- Outlives tasks and users.
CREATE TABLE usage_ledger (
        rid INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        task_id TEXT NOT NULL,
        turn_ordinal INTEGER NOT NULL,
        environment_id TEXT NOT NULL,
        user_id TEXT,
        agent TEXT NOT NULL,
        model TEXT,
        duration_ms INTEGER NOT NULL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        cache_read_tokens INTEGER NOT NULL,
        cache_write_tokens INTEGER NOT NULL,
        cost_micros INTEGER NOT NULL,
        UNIQUE (task_id, turn_ordinal)
);

-- What a request id stands for, per person and tool: the arguments' fingerprint and the outcome.
CREATE TABLE receipts (
        user INTEGER NOT NULL,
        tool TEXT NOT NULL,
        request_id TEXT NOT NULL,
        fingerprint BLOB NOT NULL,
        state TEXT NOT NULL CHECK (state = 'reserved' OR state = 'done' OR state = 'unknown'),
        task TEXT,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (user, tool, request_id)
) WITHOUT ROWID;

-- Work that must happen, written in the transaction that asks for it and deleted by the one that records its end.
CREATE TABLE jobs (
        rid INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        turn INTEGER REFERENCES turns ON DELETE CASCADE,
        due_at INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        created_at INTEGER NOT NULL
);
CREATE INDEX jobs_due ON jobs (due_at);
CREATE INDEX jobs_task ON jobs (task);
CREATE INDEX jobs_turn ON jobs (turn);

-- A row precedes every outside resource, so that nothing made half way is ever forgotten.
CREATE TABLE resources (
        rid INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('container', 'workspace')),
        handle TEXT NOT NULL,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        is_ready INTEGER NOT NULL DEFAULT 0,
        is_oom_killed INTEGER NOT NULL DEFAULT 0,
        stopped_at INTEGER,
        created_at INTEGER NOT NULL,
        UNIQUE (kind, handle),
        UNIQUE (kind, task)
);
CREATE INDEX resources_task ON resources (task);

-- Each person's own list. `version` grows with every change and never goes down.
CREATE TABLE pins (
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        is_pinned INTEGER NOT NULL,
        snoozed_until INTEGER,
        version INTEGER NOT NULL,
        PRIMARY KEY (user, task)
) WITHOUT ROWID;
CREATE INDEX pins_task ON pins (task);

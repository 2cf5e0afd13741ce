-- Reviews that come of themselves: those that wait until the work is finished, and loops of review and improvement.

-- A request to review fixed tasks once they are finished; also what the environment's settings ask for (`origin`), which comes
-- to be once for a group or a task. The ids of its reviews are reserved in the transaction that begins the launch, so
-- that a launch which was cut off is gone on with and never made twice. `task` is the stand-alone task, or NULL.
CREATE TABLE judge_requests (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        origin TEXT NOT NULL CHECK (origin = 'request' OR origin = 'auto_judge' OR origin = 'verification'),
        requester INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        by_task TEXT,
        source TEXT NOT NULL,
        environment INTEGER NOT NULL REFERENCES environments,
        task_id TEXT,
        group_id TEXT NOT NULL,
        instructions TEXT,
        max_rounds INTEGER NOT NULL DEFAULT 0,
        min_priority TEXT CHECK (min_priority = 'high' OR min_priority = 'medium' OR min_priority = 'low'),
        pulls_latest INTEGER NOT NULL DEFAULT 0,
        state TEXT NOT NULL CHECK (state = 'pending' OR state = 'launching' OR state = 'launched' OR state = 'cancelled'),
        reason TEXT,
        message TEXT,
        loop_id TEXT,
        created_at INTEGER NOT NULL,
        launching_at INTEGER,
        ended_at INTEGER
);
CREATE INDEX judge_requests_requester ON judge_requests (requester, rid);
CREATE INDEX judge_requests_group ON judge_requests (group_id, rid);
CREATE INDEX judge_requests_open ON judge_requests (state) WHERE state = 'pending' OR state = 'launching';
CREATE UNIQUE INDEX judge_requests_auto ON judge_requests (group_id) WHERE origin = 'auto_judge';
CREATE UNIQUE INDEX judge_requests_verification ON judge_requests (task_id) WHERE origin = 'verification';

-- By number and id: a number is never used again, and the id outlives its task.
CREATE TABLE judge_request_tasks (
        request INTEGER NOT NULL REFERENCES judge_requests ON DELETE CASCADE,
        position INTEGER NOT NULL,
        task INTEGER NOT NULL,
        task_id TEXT NOT NULL,
        PRIMARY KEY (request, position)
) WITHOUT ROWID;
CREATE INDEX judge_request_tasks_task ON judge_request_tasks (task);

-- `judge_id` is reserved when the launch begins.
CREATE TABLE judge_request_reviewers (
        request INTEGER NOT NULL REFERENCES judge_requests ON DELETE CASCADE,
        position INTEGER NOT NULL,
        agent TEXT NOT NULL,
        model TEXT,
        reasoning_effort TEXT,
        speed TEXT,
        judge_id TEXT,
        PRIMARY KEY (request, position)
) WITHOUT ROWID;

-- A loop of review and improvement of one variant. `version` grows with each step, which is one transaction; what a step
-- begins outside the store (reviews with reserved ids, a follow-up) is found again by it. `feedback` is what is to be
-- sent next, `fingerprint` the work as it was when `turn` was sent.
CREATE TABLE review_loops (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        version INTEGER NOT NULL DEFAULT 1,
        owner INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        source TEXT NOT NULL,
        environment INTEGER NOT NULL REFERENCES environments,
        task INTEGER NOT NULL,
        task_id TEXT NOT NULL,
        group_id TEXT NOT NULL,
        instructions TEXT,
        max_rounds INTEGER NOT NULL,
        min_priority TEXT NOT NULL CHECK (min_priority = 'high' OR min_priority = 'medium' OR min_priority = 'low'),
        pulls_latest INTEGER NOT NULL,
        phase TEXT NOT NULL CHECK (phase IN ('launching', 'reviewing', 'feedback', 'improving', 'polish', 'polishing',
                'stopped')),
        round INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        feedback TEXT,
        fingerprint TEXT,
        turn INTEGER,
        stop_reason TEXT,
        stop_message TEXT,
        stopped_by INTEGER REFERENCES users ON DELETE SET NULL,
        created_at INTEGER NOT NULL,
        changed_at INTEGER NOT NULL,
        stopped_at INTEGER
);
CREATE UNIQUE INDEX review_loops_active ON review_loops (task) WHERE phase != 'stopped';
CREATE INDEX review_loops_task ON review_loops (task, rid);

-- The reviews of each round; a second attempt is the one new try of a reviewer that gave no verdict.
CREATE TABLE review_loop_judges (
        loop INTEGER NOT NULL REFERENCES review_loops ON DELETE CASCADE,
        round INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        position INTEGER NOT NULL,
        agent TEXT NOT NULL,
        model TEXT,
        reasoning_effort TEXT,
        speed TEXT,
        judge_id TEXT NOT NULL,
        verdict TEXT,
        high INTEGER NOT NULL DEFAULT 0,
        medium INTEGER NOT NULL DEFAULT 0,
        low INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (loop, round, attempt, position)
) WITHOUT ROWID;
CREATE INDEX review_loop_judges_judge ON review_loop_judges (judge_id);

-- Listeners are told of the variant when a loop of it goes on.
CREATE TRIGGER review_loop_begins AFTER INSERT ON review_loops BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT NEW.changed_at, 'reviewed', t.id, t.environment, t.created_by, t.is_shared
        FROM tasks t WHERE t.rid = NEW.task;
END;
CREATE TRIGGER review_loop_goes_on AFTER UPDATE OF phase ON review_loops WHEN OLD.phase IS NOT NEW.phase BEGIN
        INSERT INTO task_changes (at, kind, task_id, environment, creator, is_shared)
        SELECT NEW.changed_at, 'reviewed', t.id, t.environment, t.created_by, t.is_shared
        FROM tasks t WHERE t.rid = NEW.task;
END;

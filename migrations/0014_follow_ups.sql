-- What is sent to a task while it is busy, or for later. Each follow-up has a row from the moment it was accepted; the
-- transaction that makes it (part of) a turn says so here, so that none is delivered twice or lost. `place` is its order in the
-- queue of its task, `instructions` what people are shown of it and `given` what the agent gets instead, if that differs; both
-- are the turn's once it was delivered. `is_delay` says that its time was told as a delay, which no change of the clock
-- lengthens or shortens. A row stays for the retries of who sent it.
CREATE TABLE follow_ups (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        state TEXT NOT NULL CHECK (state = 'queued' OR state = 'scheduled' OR state = 'delivered' OR state = 'removed'),
        version INTEGER NOT NULL DEFAULT 1,
        place INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind = 'follow_up' OR kind = 'auto' OR kind = 'scheduled'),
        origin TEXT NOT NULL,
        sender INTEGER,
        by_task TEXT,
        request_id TEXT,
        instructions TEXT NOT NULL,
        given TEXT,
        pulls_latest INTEGER NOT NULL DEFAULT 0,
        model TEXT,
        reasoning_effort TEXT,
        speed TEXT,
        submitted_at INTEGER NOT NULL,
        deliver_at INTEGER,
        is_delay INTEGER NOT NULL DEFAULT 0,
        turn INTEGER REFERENCES turns ON DELETE SET NULL
);
CREATE INDEX follow_ups_task ON follow_ups (task, state, place);
CREATE INDEX follow_ups_due ON follow_ups (deliver_at) WHERE state = 'scheduled';
CREATE INDEX follow_ups_request ON follow_ups (sender, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX follow_ups_turn ON follow_ups (turn) WHERE turn IS NOT NULL;

-- Files that wait with a follow-up; they become the turn's with it.
CREATE TABLE follow_up_attachments (
        follow_up INTEGER NOT NULL REFERENCES follow_ups ON DELETE CASCADE,
        position INTEGER NOT NULL,
        filename TEXT NOT NULL,
        size INTEGER NOT NULL,
        upload TEXT NOT NULL,
        PRIMARY KEY (follow_up, position)
) WITHOUT ROWID;
CREATE INDEX follow_up_attachments_upload ON follow_up_attachments (upload);

-- Queues that deliver nothing until somebody resumes them. `details` is a JSON document for people.
CREATE TABLE queue_pauses (
        task INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
        reason TEXT NOT NULL,
        message TEXT,
        details TEXT,
        paused_by TEXT,
        paused_at INTEGER NOT NULL
);

-- What whoever ended the turn wants with the queue: NULL or send_queued.
ALTER TABLE turns ADD COLUMN stop_queue TEXT;
-- The task under whose id the usage of a copied turn stands; NULL: its own.
ALTER TABLE turns ADD COLUMN usage_task TEXT;

-- The task that a fork was copied from, and its last turn then.
CREATE TABLE forks (
        task INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
        source_id TEXT NOT NULL,
        source_ordinal INTEGER NOT NULL,
        forked_by INTEGER,
        forked_at INTEGER NOT NULL
);
CREATE INDEX forks_source ON forks (source_id);

-- How long the agent's own record of its conversation was when a turn ended: a JSON object of paths below the home and
-- bytes. A conversation that is rewound to the turn goes on from there.
ALTER TABLE turns ADD COLUMN conversation_files TEXT;

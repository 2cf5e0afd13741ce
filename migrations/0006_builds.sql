-- Builds of environments' images. A queued build is the job itself: its row is written by whoever asks for it and taken
-- up by the builder, also after a restart. `reference` names the image before the engine is asked to make it, so that
-- nothing made half way is ever forgotten.
CREATE TABLE builds (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        environment INTEGER NOT NULL REFERENCES environments,
        state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
        is_fresh INTEGER NOT NULL,
        created_by INTEGER REFERENCES users ON DELETE SET NULL,
        created_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER,
        cancelled_by TEXT,
        cancelled_at INTEGER,
        source TEXT,
        base_image TEXT,
        inputs_hash TEXT,
        reference TEXT,
        image TEXT,
        image_size INTEGER,
        end_type TEXT,
        exit_code INTEGER,
        message TEXT,
        is_image_gone INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX builds_unfinished ON builds (environment) WHERE state IN ('queued', 'running');
CREATE INDEX builds_state ON builds (state, rid);
CREATE INDEX builds_environment ON builds (environment, rid);
CREATE INDEX builds_good ON builds (environment, rid) WHERE state = 'succeeded';
CREATE INDEX builds_with_image ON builds (rid) WHERE reference IS NOT NULL AND is_image_gone = 0;

-- Judges: what each review was asked for, so that it can be run again, and what its labels stand for.
CREATE TABLE judges (
        task INTEGER PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
        run TEXT NOT NULL, -- shared by the reviewers that were launched together
        instructions TEXT,
        agent TEXT NOT NULL,
        model TEXT,
        reasoning_effort TEXT,
        speed TEXT,
        loop TEXT, -- of the review loop that it is a round of
        round INTEGER
);
CREATE INDEX judges_run ON judges (run);
CREATE INDEX judges_loop ON judges (loop, round) WHERE loop IS NOT NULL;

-- By id, for a variant may be deleted before its review. `position` is where the variant stands in its group.
CREATE TABLE judge_variants (
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        label TEXT NOT NULL,
        variant TEXT NOT NULL,
        agent TEXT NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (task, label)
) WITHOUT ROWID;

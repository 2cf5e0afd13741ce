-- What a turn's agent told: how its output is to be read, its conversation, its errors, and when a limit ends.

ALTER TABLE turns ADD COLUMN stream_format TEXT;
ALTER TABLE turns ADD COLUMN session TEXT;
-- A JSON array of {message, type, category}.
ALTER TABLE turns ADD COLUMN agent_errors TEXT;
ALTER TABLE turns ADD COLUMN limit_resets_at INTEGER;
-- The version of the agent's program that a container was made with.
ALTER TABLE resources ADD COLUMN program TEXT;

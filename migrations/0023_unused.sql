-- What nobody uses any more is found by when it ended.
CREATE INDEX oauth_clients_used ON oauth_clients (used_at) WHERE used_at IS NOT NULL;
CREATE INDEX oauth_grants_client ON oauth_grants (client);
CREATE INDEX judge_requests_ended ON judge_requests (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX review_loops_stopped ON review_loops (stopped_at) WHERE stopped_at IS NOT NULL;

-- A client was in use until its grant ended.
CREATE TRIGGER oauth_grant_is_over AFTER DELETE ON oauth_grants BEGIN
        UPDATE oauth_clients SET used_at = CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
        WHERE id = OLD.client AND used_at IS NOT NULL;
END;

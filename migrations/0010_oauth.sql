-- The OAuth 2.1 server. Times are milliseconds since the epoch; of codes, tokens and client secrets only the BLAKE2b-256
-- hash is kept.

-- Clients that registered themselves (RFC 7591). `redirect_uris` has one on each line. `source` is the address it came
-- from, so that a flood from one place pushes out only its own. Nobody has approved it yet while `used_at` is NULL.
CREATE TABLE oauth_clients (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        redirect_uris TEXT NOT NULL,
        auth_method TEXT NOT NULL,
        secret_hash BLOB,
        source TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        used_at INTEGER
);
CREATE INDEX oauth_clients_unused ON oauth_clients (source, created_at) WHERE used_at IS NULL;
CREATE INDEX oauth_clients_age ON oauth_clients (created_at) WHERE used_at IS NULL;

-- What a person has approved: one consent of one client, and the family of its code and tokens. A row that is gone has
-- ended, and everything of it with it. `client` is the client's id, a URL for one that publishes its own metadata.
CREATE TABLE oauth_grants (
        rid INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        client TEXT NOT NULL,
        client_name TEXT NOT NULL,
        redirect_host TEXT NOT NULL,
        resource TEXT NOT NULL,
        scope TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        last_used_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL
);
CREATE INDEX oauth_grants_user ON oauth_grants (user, client);
CREATE INDEX oauth_grants_expires ON oauth_grants (expires_at);

-- Kept after its use, so that a second use is recognised.
CREATE TABLE oauth_codes (
        hash BLOB PRIMARY KEY,
        grant_rid INTEGER NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
        challenge TEXT NOT NULL,
        redirect_uri TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        used_at INTEGER
) WITHOUT ROWID;
CREATE INDEX oauth_codes_grant ON oauth_codes (grant_rid);

-- A refresh token that was replaced is kept until it expires, so that its replay is recognised. For as long as its
-- successor has not been used, `salt` lets whoever shows the replaced one get the same successor again.
CREATE TABLE oauth_tokens (
        rid INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        grant_rid INTEGER NOT NULL REFERENCES oauth_grants ON DELETE CASCADE,
        is_refresh INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        replaced_at INTEGER,
        salt BLOB
);
CREATE INDEX oauth_tokens_grant ON oauth_tokens (grant_rid, expires_at);

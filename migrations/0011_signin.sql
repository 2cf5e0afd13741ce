-- Signing in: the time of a session's last full sign-in, codes of authenticator apps, identities at an OpenID provider
-- and devices that wait for a person. Times are milliseconds since the epoch.

ALTER TABLE sessions ADD COLUMN signed_in_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN is_sso INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET signed_in_at = created_at;

-- One authenticator a person; not asked for before it was confirmed. `last_step` is the newest time step whose code was
-- accepted: no code of it or of an earlier one is accepted again.
CREATE TABLE authenticators (
        user INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        value INTEGER NOT NULL REFERENCES sealed_values,
        created_at INTEGER NOT NULL,
        confirmed_at INTEGER,
        last_step INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX authenticators_value ON authenticators (value);

-- The settings whose values are kept sealed.
CREATE TABLE sealed_settings (
        name TEXT PRIMARY KEY,
        value INTEGER NOT NULL REFERENCES sealed_values
) WITHOUT ROWID;
CREATE INDEX sealed_settings_value ON sealed_settings (value);

-- A row that is gone is a code that was used.
CREATE TABLE recovery_codes (
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        hash BLOB NOT NULL,
        PRIMARY KEY (user, hash)
) WITHOUT ROWID;

-- Who a subject of an OpenID provider is here.
CREATE TABLE identities (
        issuer TEXT NOT NULL,
        subject TEXT NOT NULL,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (issuer, subject)
) WITHOUT ROWID;
CREATE INDEX identities_user ON identities (user);

-- Device authorisation (RFC 8628). `hash` is of the device code, `user_code` what the person types. `user` is who
-- allowed it; a row is deleted when its key is handed out.
CREATE TABLE device_codes (
        rid INTEGER PRIMARY KEY,
        hash BLOB NOT NULL UNIQUE,
        user_code TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        address TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        interval_ms INTEGER NOT NULL,
        polled_at INTEGER NOT NULL DEFAULT 0,
        user INTEGER REFERENCES users ON DELETE CASCADE,
        is_denied INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX device_codes_expires ON device_codes (expires_at);
CREATE INDEX device_codes_user ON device_codes (user);

-- What is sealed under the key file: provider accounts, the secrets of environments and of people, and every value a
-- task was ever given. Times are milliseconds since the epoch.

-- Never changed: a new value is a new row, and an old one stays while a task had it. `origin` says what the value was
-- sealed for and is authenticated with it, so that a row cannot stand in for another.
CREATE TABLE sealed_values (
        rid INTEGER PRIMARY KEY AUTOINCREMENT,
        origin TEXT NOT NULL,
        sealed BLOB NOT NULL
);

CREATE TABLE secrets (
        rid INTEGER PRIMARY KEY,
        environment INTEGER REFERENCES environments,
        user INTEGER REFERENCES users ON DELETE CASCADE,
        name TEXT NOT NULL,
        value INTEGER NOT NULL REFERENCES sealed_values,
        given_as TEXT NOT NULL CHECK (given_as IN ('variable', 'file')),
        path TEXT,
        is_for_tasks INTEGER NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        CHECK ((environment IS NULL) != (user IS NULL))
);
CREATE UNIQUE INDEX secrets_environment ON secrets (environment, name) WHERE environment IS NOT NULL;
CREATE UNIQUE INDEX secrets_user ON secrets (user, name) WHERE user IS NOT NULL;
CREATE INDEX secrets_value ON secrets (value);

-- `user` is 0 for the server's default. An account is refused when a provider did not accept it.
CREATE TABLE provider_accounts (
        rid INTEGER PRIMARY KEY,
        user INTEGER NOT NULL,
        agent TEXT NOT NULL,
        variable TEXT NOT NULL,
        value INTEGER NOT NULL REFERENCES sealed_values,
        refused_at INTEGER,
        refused_reason TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        UNIQUE (user, agent)
);
CREATE INDEX provider_accounts_value ON provider_accounts (value);

-- The credential that a turn's agent was given.
CREATE TABLE turn_accounts (
        turn INTEGER PRIMARY KEY REFERENCES turns ON DELETE CASCADE,
        value INTEGER NOT NULL
);

CREATE TABLE task_values (
        task INTEGER NOT NULL REFERENCES tasks ON DELETE CASCADE,
        value INTEGER NOT NULL REFERENCES sealed_values,
        PRIMARY KEY (task, value)
) WITHOUT ROWID;
CREATE INDEX task_values_value ON task_values (value);

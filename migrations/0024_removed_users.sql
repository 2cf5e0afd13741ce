-- A user who is removed stays as a row: what that person did keeps its author, and no other user ever gets the rid. The
-- name is free again. Whatever let the person in or was the person's own goes.
ALTER TABLE users ADD COLUMN removed_at INTEGER;

CREATE TRIGGER user_is_removed AFTER UPDATE OF removed_at ON users WHEN NEW.removed_at IS NOT NULL BEGIN
        DELETE FROM sessions WHERE user = NEW.rid;
        DELETE FROM oauth_grants WHERE user = NEW.rid;
        DELETE FROM device_codes WHERE user = NEW.rid;
        DELETE FROM api_keys WHERE user = NEW.rid;
        DELETE FROM bindings WHERE user = NEW.rid;
        DELETE FROM team_members WHERE user = NEW.rid;
        DELETE FROM authenticators WHERE user = NEW.rid;
        DELETE FROM recovery_codes WHERE user = NEW.rid;
        DELETE FROM identities WHERE user = NEW.rid;
        DELETE FROM secrets WHERE user = NEW.rid;
        DELETE FROM account_limits WHERE account IN (SELECT 'account:' || rid FROM provider_accounts WHERE user = NEW.rid);
        DELETE FROM provider_accounts WHERE user = NEW.rid;
        DELETE FROM pins WHERE user = NEW.rid;
END;

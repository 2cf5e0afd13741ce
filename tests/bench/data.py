"""The stores that are measured on: our own, filled by bench_seed once and copied for each use, and the peers' file of
the same tasks."""

import dataclasses
import hashlib
import pathlib
import secrets
import shutil
import sqlite3
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PROGRAMS = BUILD / "tests" / "bench"
WORK = ROOT / "build" / "bench"
LONG_REPLY_ID = "1700000000000-longreply"
PINNED = 40
GROUPED = 40


@dataclasses.dataclass
class Data:
    folder: pathlib.Path
    key: str


def seeded(count):
    """A pristine data folder with so many tasks; kept between runs as long as the program that made it is the same."""
    folder = WORK / f"seed-{count}"
    seed = PROGRAMS / "bench_seed"
    key = folder / "key"
    if not key.exists() or key.stat().st_mtime < seed.stat().st_mtime:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True, mode=0o700)
        made = subprocess.run([seed, folder, str(count)], check=True, capture_output=True, text=True)
        _pin_and_group(folder / "store.db")
        key.write_text(made.stdout)
    return Data(folder, key.read_text().strip())


def _pin_and_group(path):
    """What no operation of the store makes yet: pins of the key's owner, a few of them asleep, and a group."""
    with sqlite3.connect(path) as store:
        (user,) = store.execute("SELECT rid FROM users WHERE name = 'user-0'").fetchone()
        store.execute("INSERT INTO pins SELECT ?, rid, 1, CASE WHEN rid % 4 = 0 THEN 4102444800000 END, 1 FROM tasks "
                      "WHERE rid % 10 = 1 ORDER BY rid DESC LIMIT ?", (user, PINNED))
        store.execute("UPDATE tasks SET group_id = 'g-bench', group_index = 0 WHERE rid IN "
                      "(SELECT rid FROM tasks WHERE rid % 10 = 1 ORDER BY rid LIMIT ?)", (GROUPED,))
    store.close()


def copy(data, name):
    """A data folder of its own for one server; the caller removes it with drop()."""
    folder = WORK / "data" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(data.folder, folder)
    return Data(folder, data.key)


def with_access_token(data):
    """The same folder, of which no server has made use yet, with an access token of the key's owner as the key."""
    token = "lsa_" + secrets.token_hex(32)
    now = int(time.time() * 1000)
    later = now + 86_400_000
    with sqlite3.connect(data.folder / "store.db") as store:
        grant = store.execute("INSERT INTO oauth_grants (id, user, client, client_name, redirect_host, resource, scope, "
                              "created_at, last_used_at, expires_at) SELECT 'grant-bench', user, 'client-bench', 'bench', "
                              "'127.0.0.1', 'http://127.0.0.1/mcp', 'mcp', ?, ?, ? FROM api_keys", (now, now, later)).lastrowid
        store.execute("INSERT INTO oauth_tokens (hash, grant_rid, is_refresh, expires_at) VALUES (?, ?, 0, ?)",
                      (hashlib.blake2b(token.encode(), digest_size=32).digest(), grant, later))
    store.close()
    return Data(data.folder, token)


def drop(data):
    shutil.rmtree(data.folder, ignore_errors=True)


def peers_file(data):
    """The same tasks as the peers keep them: a row with all that get_task shows, and the key's hash."""
    path = data.folder / "peers.db"
    if path.exists():
        return path
    unfinished = path.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with sqlite3.connect(unfinished) as peers:
        peers.execute("PRAGMA journal_mode = WAL")
        peers.execute("ATTACH ? AS ours", (str(data.folder / "store.db"),))
        peers.execute("CREATE TABLE api_keys (hash BLOB PRIMARY KEY, user TEXT, expires_at INTEGER, revoked INTEGER)")
        peers.execute("INSERT INTO api_keys SELECT ?, id, NULL, 0 FROM ours.users WHERE name = 'user-0'",
                      (hashlib.sha256(data.key.encode()).digest(),))
        peers.execute("CREATE TABLE tasks AS SELECT t.id, t.name, e.name AS environment, t.status, t.agent, t.model, "
                      "u.id AS creator_id, u.name AS creator_name, t.created_at, t.started_at, t.finished_at, t.exit_code, "
                      "t.branches, t.is_shared, t.source, coalesce(r.body, '') AS reply FROM ours.tasks t "
                      "JOIN ours.environments e ON e.rid = t.environment JOIN ours.users u ON u.rid = t.created_by "
                      "LEFT JOIN ours.replies r ON r.turn = t.reply")
        peers.execute("CREATE UNIQUE INDEX tasks_id ON tasks (id)")
    peers.close()
    unfinished.rename(path)
    return path

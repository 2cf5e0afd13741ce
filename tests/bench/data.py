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
# More tasks than these are copies of them: what tells one from another is the same again after every thousand.
SEED_MAXIMUM = 100_000
PINNED = 40
# Of every so many tasks, which are of one environment, the first few are a group.
GROUP_EVERY = 10
GROUP_SIZE = 6
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
        made = subprocess.run([seed, folder, str(min(count, SEED_MAXIMUM))], check=True, capture_output=True, text=True)
        if count > SEED_MAXIMUM:
            _multiply(folder / "store.db", count)
        _pin_and_group(folder / "store.db")
        key.write_text(made.stdout)
    return Data(folder, key.read_text().strip())


def _multiply(path, count):
    """As bench_seed would have gone on, in a few statements: one by one it would take minutes."""
    moved = {"tasks": ("rid", "turn", "reply"), "turns": ("rid", "task"), "replies": ("turn",)}
    later = ("created_at", "started_at", "finished_at", "active_at", "submitted_at", "replied_at")
    numbered = {"id": "printf('%lld-%09d', 1700000000000 + (rid - 1 + :by) * 1000, rid - 1 + :by)",
                "name": "'Repair the failing test number ' || (rid - 1 + :by)"}
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA synchronous = OFF")
        store.execute("PRAGMA cache_size = -1000000")
        for table, columns in moved.items():
            names = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
            key = columns[0]
            # The one with the long reply comes last.
            store.execute(f"UPDATE {table} SET " + ", ".join(f"{column} = :to" for column in columns) +
                          f" WHERE {key} = :at", {"at": SEED_MAXIMUM + 1, "to": count + 1})
            values = [f"{name} + :by" if name in columns else f"{name} + :by * 1000" if name in later
                      else numbered.get(name, name) if table == "tasks" else name for name in names]
            for by in range(SEED_MAXIMUM, count, SEED_MAXIMUM):
                store.execute(f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join(values)} FROM {table} "
                              f"WHERE {key} <= min(:size, :count - :by)", {"by": by, "size": SEED_MAXIMUM, "count": count})
    store.close()


def _pin_and_group(path):
    """What no operation of the store makes yet: pins of the key's owner, a few of them asleep, and a group."""
    with sqlite3.connect(path) as store:
        (user,) = store.execute("SELECT rid FROM users WHERE name = 'user-0'").fetchone()
        store.execute("INSERT INTO pins SELECT ?, rid, 1, CASE WHEN rid % 4 = 0 THEN 4102444800000 END, 1 FROM tasks "
                      "WHERE rid % 10 = 1 ORDER BY rid DESC LIMIT ?", (user, PINNED))
        store.execute("UPDATE tasks SET group_id = 'g-bench', group_index = 0 WHERE rid IN "
                      "(SELECT rid FROM tasks WHERE rid % 10 = 1 ORDER BY rid LIMIT ?)", (GROUPED,))
    store.close()


def group_id(number):
    return f"g-1700000000000-{number:09}"


def grouped(count):
    """The same tasks, most of them in groups; kept as seeded() is."""
    pristine = seeded(count)
    folder = WORK / f"grouped-{count}"
    key = folder / "key"
    if not key.exists() or key.stat().st_mtime < (pristine.folder / "key").stat().st_mtime:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(pristine.folder, folder)
        _group_all(folder / "store.db")
        key.write_text(pristine.key)
    return Data(folder, pristine.key)


def _group_all(path):
    """What triggers keep is made for all groups at once: one by one it would take minutes."""
    with sqlite3.connect(path) as store:
        store.execute("PRAGMA synchronous = OFF")
        store.execute("UPDATE tasks SET group_id = NULL, group_index = NULL WHERE group_id IS NOT NULL")
        triggers = store.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN "
                                 "('tasks', 'task_groups')").fetchall()
        for name, _ in triggers:
            store.execute(f"DROP TRIGGER {name}")
        store.execute("INSERT INTO task_groups (id, environment, name, created_by, source, next_index, created_at) "
                      "SELECT printf('g-1700000000000-%09d', (rid - 1) / ?1), environment, name, created_by, 'mcp', ?2, "
                      "created_at FROM tasks WHERE (rid - 1) % ?1 = 0 AND id NOT LIKE '%longreply'",
                      (GROUP_EVERY, GROUP_SIZE))
        store.execute("UPDATE tasks SET group_id = printf('g-1700000000000-%09d', (rid - 1) / ?1), "
                      "group_index = (rid - 1) % ?1 WHERE (rid - 1) % ?1 < ?2 AND id NOT LIKE '%longreply'",
                      (GROUP_EVERY, GROUP_SIZE))
        store.execute("INSERT INTO group_views (grp, audience, environment, creator, status) "
                      "WITH seen AS (SELECT g.rid AS grp, -1 AS audience, t.status FROM task_groups g "
                      "JOIN tasks t ON t.group_id = g.id UNION ALL "
                      "SELECT g.rid, 0, t.status FROM task_groups g JOIN tasks t ON t.group_id = g.id AND t.is_shared "
                      "UNION ALL SELECT g.rid, g.created_by, t.status FROM task_groups g JOIN tasks t ON t.group_id = g.id "
                      "AND (t.is_shared OR t.created_by = g.created_by) UNION ALL "
                      "SELECT g.rid, t.created_by, t.status FROM task_groups g JOIN tasks t ON t.group_id = g.id "
                      "AND NOT t.is_shared AND t.created_by != g.created_by) "
                      "SELECT s.grp, s.audience, g.environment, g.created_by, CASE "
                      "WHEN sum(s.status = 'completed') = count(*) THEN 'completed' ELSE 'partial' END "
                      "FROM seen s JOIN task_groups g ON g.rid = s.grp GROUP BY s.grp, s.audience")
        store.execute("UPDATE group_views SET shared_status = (SELECT z.status FROM group_views z WHERE z.grp = group_views.grp "
                      "AND z.audience = 0) WHERE audience > 0")
        for _, sql in triggers:
            store.execute(sql)
        store.execute("DELETE FROM task_changes WHERE seq < (SELECT max(seq) FROM task_changes)")
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

/* Internal to the store: the columns of a task as they are read everywhere. ?1 is the viewer's user rid. */
#ifndef STORE_COLUMNS_H
#define STORE_COLUMNS_H

/* The states of follow-ups are asked for one by one: for a list of them SQLite fills a table each time. */
#define TASK_COLUMNS                                                                                                   \
        "t.rid, t.id, t.name, t.status, t.type, t.agent, t.model, t.reasoning_effort, t.speed, t.role, "               \
        "t.project_landing_mode, t.group_id, t.group_index, t.source, t.is_shared, t.branches, t.created_at, "         \
        "t.started_at, t.finished_at, t.active_at, t.exit_code, t.follow_up_count, t.is_history_complete, t.turn, "    \
        "t.reply, t.approved_by, t.is_winner, t.is_loser, t.input_tokens, t.output_tokens, t.cache_read_tokens, "      \
        "t.cache_write_tokens, t.cost_micros, e.rid, e.id, e.name, u.rid, u.id, u.name, p.is_pinned, "                 \
        "p.snoozed_until, p.version, q.is_pinned, q.snoozed_until, t.is_judge, t.judge_mode, t.original_group_id, "    \
        "t.has_sources, "                                                                                              \
        "EXISTS (SELECT 1 FROM follow_ups f WHERE f.task = t.rid AND f.state = 'queued') "                             \
        "OR EXISTS (SELECT 1 FROM follow_ups f WHERE f.task = t.rid AND f.state = 'scheduled')"
#define TASK_JOINS                                                                                                     \
        " JOIN environments e ON e.rid = t.environment LEFT JOIN users u ON u.rid = t.created_by "                     \
        "LEFT JOIN pins p ON p.user = ?1 AND p.task = t.rid "                                                          \
        "LEFT JOIN pins q ON q.user = t.created_by AND q.task = t.rid"

#define GROUP_COLUMNS                                                                                                  \
        "g.rid, g.id, g.environment, e.id, e.name, g.name, g.name_source, u.rid, u.id, u.name, g.source, g.created_at"
#define GROUP_FROM                                                                                                     \
        " FROM task_groups g JOIN environments e ON e.rid = g.environment LEFT JOIN users u ON u.rid = g.created_by"

#define TURN_COLUMNS_WITH(shown, given)                                                                                \
        "n.rid, n.task, t.id, n.ordinal, n.conversation_index, n.kind, n.origin, n.state, n.sender, u.id, u.name, "    \
        "n.agent, " shown ", " given ", n.submitted_at, n.started_at, n.ended_at, n.stop_kind, n.stop_user, "          \
        "n.end_type, n.exit_code, n.signal, n.failure_stage, n.failure_category, n.failure_message, "                  \
        "n.stream_format, n.session, n.agent_errors, n.limit_resets_at"
#define TURN_COLUMNS TURN_COLUMNS_WITH("n.shown", "n.given")

#define FOLLOW_UP_COLUMNS                                                                                              \
        "f.rid, f.id, f.task, f.state, f.version, f.place, f.kind, f.origin, f.sender, u.id, u.name, u.is_disabled, "  \
        "f.by_task, f.instructions, f.given, f.pulls_latest, f.model, f.reasoning_effort, f.speed, f.submitted_at, "   \
        "f.deliver_at, f.is_delay, f.turn, "                                                                           \
        "(SELECT count(*) FROM follow_up_attachments a WHERE a.follow_up = f.rid)"
#define FOLLOW_UP_FROM " FROM follow_ups f LEFT JOIN users u ON u.rid = f.sender"

#define JUDGE_REQUEST_COLUMNS                                                                                          \
        "rid, id, origin, requester, by_task, source, environment, task_id, group_id, instructions, max_rounds, "      \
        "min_priority, pulls_latest, state, reason, message, loop_id, created_at, launching_at, ended_at"
#define REVIEW_LOOP_COLUMNS                                                                                            \
        "l.rid, l.id, l.version, l.owner, l.source, l.environment, l.task, l.task_id, l.group_id, l.instructions, "    \
        "l.max_rounds, l.min_priority, l.pulls_latest, l.phase, l.round, l.attempt, l.feedback, l.fingerprint, "       \
        "l.turn, l.stop_reason, l.stop_message, l.stopped_by, u.name, l.created_at, l.changed_at, l.stopped_at "       \
        "FROM review_loops l LEFT JOIN users u ON u.rid = l.stopped_by"

#define TASK_RUN_COLUMNS                                                                                               \
        "r.rid, r.id, r.task, t.id, t.environment, r.kind, r.name, r.state, r.requested_at, r.started_at, "            \
        "r.ready_at, r.ended_at, r.reason, r.exit_code, r.message, r.port"
#define TASK_RUN_FROM " FROM task_runs r JOIN tasks t ON t.rid = r.task"

#define KEY_COLUMNS                                                                                                    \
        "k.rid, k.id, k.name, k.hint, k.created_at, k.expires_at, k.last_used_at, k.revoked_at, u.rid, u.id, u.name, " \
        "u.is_disabled, k.toolsets"

#define SECRET_COLUMNS                                                                                                 \
        "s.rid, s.environment, s.user, e.name, u.name, s.name, s.value, s.given_as, s.path, s.is_for_tasks, "          \
        "s.created_at, s.updated_at"
#define SECRET_JOINS                                                                                                   \
        " FROM secrets s LEFT JOIN environments e ON e.rid = s.environment LEFT JOIN users u ON u.rid = s.user"

#define ACCOUNT_COLUMNS                                                                                                \
        "a.rid, a.user, u.name, a.agent, a.variable, a.value, a.refused_at, a.refused_reason, a.created_at, "          \
        "a.updated_at FROM provider_accounts a LEFT JOIN users u ON u.rid = a.user"

#define SESSION_COLUMNS                                                                                                \
        "s.rid, s.id, s.expires_at, s.last_used_at, u.rid, u.id, u.name, u.is_disabled, s.signed_in_at, s.is_sso"

#define DEVICE_COLUMNS                                                                                                 \
        "d.rid, d.user_code, d.name, d.address, d.created_at, d.expires_at, d.interval_ms, d.polled_at, d.user, "      \
        "d.is_denied FROM device_codes d"

#define OAUTH_GRANT_LIST                                                                                               \
        "g.rid, g.id, g.client, g.resource, g.scope, g.last_used_at, g.expires_at, u.rid, u.id, u.name, u.is_disabled"
#define OAUTH_GRANT_COLUMNS OAUTH_GRANT_LIST " FROM oauth_grants g JOIN users u ON u.rid = g.user"

#define UPLOADED_COLUMNS "id, filename, size, created_at, expires_at"

#define BUILD_COLUMNS                                                                                                  \
        "b.rid, b.environment, b.id, b.state, b.is_fresh, u.id, u.name, b.created_at, b.started_at, b.ended_at, "      \
        "b.cancelled_by, b.cancelled_at, b.source, b.base_image, b.inputs_hash, b.reference, b.image, b.image_size, "  \
        "b.end_type, b.exit_code, b.message, b.is_image_gone, e.name, e.removed_at"
#define BUILD_FROM                                                                                                     \
        " FROM builds b JOIN environments e ON e.rid = b.environment LEFT JOIN users u ON u.rid = b.created_by"

#endif

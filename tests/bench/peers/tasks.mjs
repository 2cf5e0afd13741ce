// What every peer answers from: the same tasks as the server's own store, a key checked by its hash, one get_task that
// works and enough further tools for the whole to be as large as a product's.
import crypto from 'node:crypto';
import Database from 'better-sqlite3';
import * as z from 'zod/v4';

const database = new Database(process.env.DB);
database.pragma('journal_mode = WAL');
const keyByHash = database.prepare('SELECT user, expires_at, revoked FROM api_keys WHERE hash = ?');
const taskById = database.prepare('SELECT * FROM tasks WHERE id = ?');

export const port = Number(process.env.PORT);
export const toolCount = Number(process.env.TOOLS ?? 40);
export const description =
        'Operates on tasks of the platform: reads or changes one task, checks that the caller may do so, and returns ' +
        'the record as JSON text.';

/** The user of a request's bearer key, undefined when there is none or it does not hold. */
export function authenticate(authorization) {
        const key = (authorization ?? '').slice('Bearer '.length);
        const row = key && keyByHash.get(crypto.createHash('sha256').update(key).digest());
        return row && !row.revoked ? row.user : undefined;
}

function view(row) {
        return {
                taskId: row.id, name: row.name, environment: row.environment, status: row.status, taskType: 'manual',
                agent: row.agent, model: row.model, reasoningEffort: null, speed: null, groupId: null,
                createdBy: { id: row.creator_id, name: row.creator_name },
                createdAt: new Date(row.created_at).toISOString(), startedAt: new Date(row.started_at).toISOString(),
                finishedAt: new Date(row.finished_at).toISOString(), exitCode: row.exit_code, followUpCount: 0,
                branches: JSON.parse(row.branches), shared: row.is_shared === 1, isPinned: false, isSnoozed: false,
                pinSnoozedUntil: null, pinnedForMe: false, snoozedForMe: false, pinSnoozedUntilForMe: null,
                pinFollowedByMe: false, pinFollowVersionForMe: 0, isWinner: false, isLoser: false, approvedBy: null,
                source: row.source, url: `http://127.0.0.1:${port}/task.html?id=${row.id}`,
                usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 },
                latestResponse: {
                        content: row.reply, truncated: false, totalChars: row.reply.length, turnIndex: 1,
                        followUpCount: 0, followUpsSince: 0, timestamp: new Date(row.finished_at).toISOString(),
                        path: 'debug-stream.jsonl',
                },
        };
}

/** The result of get_task, as text and as data. */
export function getTask({ taskId }) {
        const row = taskById.get(taskId);
        if (!row)
                return { content: [{ type: 'text', text: 'not found' }], isError: true };
        const task = view(row);
        return { content: [{ type: 'text', text: JSON.stringify(task) }], structuredContent: task };
}

/** The input of the further tools. */
export function otherInput() {
        return {
                taskId: z.string().min(1).max(64).describe('Identifier of the task'),
                limit: z.number().int().min(1).max(100).optional().describe('Most rows to return'),
                status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']).optional()
                        .describe('Only tasks in this state'),
                environment: z.string().optional().describe('Environment name'),
                labels: z.array(z.string()).optional().describe('Labels the task must carry'),
                includeLogs: z.boolean().optional().describe('Return the last log lines too'),
        };
}

// One task (?id=), or the tasks of a group (?groupId=).
import { get, path } from '../api/client'
import { mayIn, session } from '../api/session'
import type { Task, TaskDetails } from '../api/types'
import { Composer } from '../components/composer'
import { ConnectionSign } from '../components/connection'
import { ConversationView } from '../components/conversation'
import { Files } from '../components/files'
import { Log } from '../components/log'
import { StatusBadge } from '../components/status'
import { TaskActions } from '../components/task-actions'
import { Ago } from '../components/time'
import { Title } from '../components/title'
import { Failed, Wait } from '../components/wait'
import { useLoaded } from '../lib/loaded'
import { place } from '../lib/router'
import { useStore } from '../lib/store'
import { useTaskStream } from '../lib/task-stream'
import { duration, useNow } from '../lib/time'
import { taskName, TaskRows } from './tasks'

const views = ['conversation', 'files', 'log'] as const
type View = (typeof views)[number]

function Facts({ task }: { task: Task }) {
    const now = useNow()
    const isRunning = task.status === 'running'
    const until = task.finishedAt ? Date.parse(task.finishedAt) : now
    const cost = task.usage?.costUsd
    return (
        <p class="facts">
            <StatusBadge status={task.status} />
            {task.environment && <a href={`/environments.html?env=${encodeURIComponent(task.environment)}`}>{task.environment}</a>}
            <span>{[task.agent, task.model, task.reasoningEffort].filter(Boolean).join(' · ')}</span>
            <span>{task.createdBy?.name}</span>
            <span>
                created <Ago at={task.createdAt} />
            </span>
            {task.startedAt && (isRunning || task.finishedAt) && <span>{isRunning ? 'for' : 'took'} {duration(task.startedAt, until)}</span>}
            {typeof cost === 'number' && cost > 0 && <span>${cost.toFixed(2)}</span>}
            {task.groupId && <a href={`/task.html?groupId=${encodeURIComponent(task.groupId)}`}>its group</a>}
        </p>
    )
}

// Why it did not end well, which the stream does not tell.
function EndReason({ task }: { task: Task }) {
    const isBad = task.status === 'failed' || task.status === 'interrupted'
    const key = isBad ? `${task.taskId} ${task.status} ${task.finishedAt}` : null
    const found = useLoaded(key, (signal) =>
        get<TaskDetails>(path`/tasks/${task.taskId}`, { includeLatestResponse: false }, signal),
    )
    const details = found.value
    const words = details?.failure?.message ?? details?.endReason
    if (!isBad || !words) return null
    return (
        <p class={task.status === 'failed' ? 'fault-box' : 'quiet'}>
            {words}
            {details?.endedBy ? ` (by ${details.endedBy})` : ''}
        </p>
    )
}

function Tabs({ id, view }: { id: string; view: View }) {
    const names: Record<View, string> = { conversation: 'Conversation', files: 'Files', log: 'Log' }
    return (
        <nav class="tabs" aria-label="Parts of the task">
            {views.map((one) => (
                <a
                    key={one}
                    href={`/task.html?id=${encodeURIComponent(id)}${one === 'conversation' ? '' : `&view=${one}`}`}
                    aria-current={one === view ? 'page' : undefined}
                >
                    {names[one]}
                </a>
            ))}
        </nav>
    )
}

function OneTask({ id, view }: { id: string; view: View }) {
    const current = useStore(session)
    const { task, entries, connection, error, setTask } = useTaskStream(id)
    if (error)
        return (
            <>
                <Title text="Task" />
                <Failed error={error} />
            </>
        )
    if (!task) return <Wait what="the task" />
    const isOwn = current.state === 'in' && task.createdBy?.id === current.me.id
    const may = current.state === 'in' && mayIn(current.me, isOwn ? 'tasks:change' : 'tasks:change_any', task.environment)
    const isRunning = task.status === 'running' || task.status === 'queued'
    const version = `${entries.at(-1)?.key} ${entries.at(-1)?.last} ${task.status}`
    return (
        <div class="task">
            <Title text={taskName(task)}>
                <TaskActions task={task} onTask={setTask} />
            </Title>
            <Facts task={task} />
            <p class="unseen" role="status">
                The task is {task.status}.
            </p>
            <EndReason task={task} />
            <div class="bar">
                <Tabs id={id} view={view} />
                <ConnectionSign state={connection} />
            </div>
            {view === 'conversation' && (
                <ConversationView key={id} entries={entries} isPlain={task.agent === 'shell'} isRunning={isRunning} />
            )}
            {view === 'files' && <Files taskId={id} version={task.status} />}
            {view === 'log' && <Log key={id} taskId={id} version={version} />}
            {view === 'conversation' && may && (
                <Composer key={id} taskId={id} status={task.status} onSent={(next) => next && setTask(next)} />
            )}
        </div>
    )
}

export function TaskPage() {
    const { query } = useStore(place)
    const id = query.get('id')
    const groupId = query.get('groupId')
    const view = views.find((one) => one === query.get('view')) ?? 'conversation'
    if (id) return <OneTask key={id} id={id} view={view} />
    if (groupId)
        return (
            <>
                <Title text="Group of tasks" />
                <TaskRows filters={{ environment: '', status: '', whose: '', groupId }} />
            </>
        )
    return (
        <>
            <Title text="Task" />
            <p class="empty">
                This address names no task. <a href="/">Go to the tasks</a>
            </p>
        </>
    )
}

// The tasks that one may see, newest first, as they change.
import { get } from '../api/client'
import { session } from '../api/session'
import { type Environments, type Status, statuses, type Task } from '../api/types'
import { ConnectionSign } from '../components/connection'
import { SelectField } from '../components/field'
import { StatusBadge } from '../components/status'
import { Ago } from '../components/time'
import { Title } from '../components/title'
import { Failed, Wait } from '../components/wait'
import { useLiveTasks } from '../lib/live-tasks'
import { useLoaded } from '../lib/loaded'
import { memo } from '../lib/memo'
import { go, place } from '../lib/router'
import { useStore } from '../lib/store'
import { type Filters, readFilters, type Whose, writeFilters } from '../lib/task-list'

export const taskName = (task: Task) => task.name ?? 'Unnamed task'

const Row = memo(function Row({ task }: { task: Task }) {
    return (
        <li class="task-row" data-task={task.taskId}>
            <StatusBadge status={task.status} />
            <a class="task-name" href={`/task.html?id=${encodeURIComponent(task.taskId)}`}>
                {taskName(task)}
            </a>
            <span class="task-facts">
                <span>{task.environment ?? '–'}</span>
                <span>{task.agent ?? '–'}</span>
                <span>{task.createdBy?.name ?? '–'}</span>
                <Ago at={task.createdAt} />
            </span>
        </li>
    )
})

export function TaskRows({ filters }: { filters: Filters }) {
    const current = useStore(session)
    const live = useLiveTasks(filters, current.state === 'in' ? current.me.id : '')
    return (
        <section aria-label="Tasks">
            <p class="list-state">
                <ConnectionSign state={live.connection} />
            </p>
            {live.error && <Failed error={live.error} />}
            {!live.list && !live.error && <Wait what="the tasks" />}
            {live.list?.tasks.length === 0 && <p class="empty">No task is like that.</p>}
            <ul class="task-list">
                {live.list?.tasks.map((task) => (
                    <Row key={task.taskId} task={task} />
                ))}
            </ul>
            {live.list?.nextCursor && (
                <button type="button" class="more" disabled={live.isLoadingMore} onClick={live.loadMore}>
                    Show older tasks
                </button>
            )}
        </section>
    )
}

function FilterBar({ filters }: { filters: Filters }) {
    const environments = useLoaded('all', (signal) => get<Environments>('/environments', { limit: 100 }, signal))
    const names = environments.value?.environments.map((one) => one.name) ?? []
    if (filters.environment && !names.includes(filters.environment)) names.unshift(filters.environment)
    const change = (part: Partial<Filters>) => go(writeFilters({ ...filters, ...part }), { replace: true })
    return (
        <form class="filters" role="search" aria-label="Filter tasks" onSubmit={(event) => event.preventDefault()}>
            <SelectField
                label="Status"
                value={filters.status}
                onValue={(status) => change({ status: status as Status | '' })}
                options={[{ value: '', label: 'any' }, ...statuses]}
            />
            <SelectField
                label="Environment"
                value={filters.environment}
                onValue={(environment) => change({ environment })}
                options={[{ value: '', label: 'any' }, ...names]}
            />
            <SelectField
                label="Created by"
                value={filters.whose}
                onValue={(whose) => change({ whose: whose as Whose })}
                options={[
                    { value: '', label: 'anybody' },
                    { value: 'me', label: 'me' },
                    { value: 'teams', label: 'my teams' },
                ]}
            />
        </form>
    )
}

export function TasksPage() {
    const filters = readFilters(useStore(place).query)
    return (
        <>
            <Title text="Tasks">
                <a class="button primary" href="/new-task.html">
                    New task
                </a>
            </Title>
            <FilterBar filters={filters} />
            <TaskRows filters={filters} />
        </>
    )
}

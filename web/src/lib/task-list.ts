// The list of tasks: what is asked of the server, and how a change that it tells of acts on what is shown.
import type { Status, Task, TaskChange } from '../api/types'
import { statuses } from '../api/types'

export type Whose = '' | 'me' | 'teams'

export interface Filters {
    environment: string
    status: Status | ''
    whose: Whose
    groupId: string
}

export function readFilters(query: URLSearchParams): Filters {
    const status = query.get('status') as Status | null
    const whose = query.get('whose')
    return {
        environment: query.get('env') ?? '',
        status: status && statuses.includes(status) ? status : '',
        whose: whose === 'me' || whose === 'teams' ? whose : '',
        groupId: query.get('groupId') ?? '',
    }
}

// The filters as the page's own address has them.
export function writeFilters(filters: Filters): string {
    const query = new URLSearchParams()
    if (filters.environment) query.set('env', filters.environment)
    if (filters.status) query.set('status', filters.status)
    if (filters.whose) query.set('whose', filters.whose)
    const search = query.toString()
    return search ? `/?${search}` : '/'
}

export function queryOf(filters: Filters): Record<string, string | boolean | undefined> {
    return {
        environment: filters.environment || undefined,
        status: filters.status || undefined,
        groupId: filters.groupId || undefined,
        createdByMe: filters.whose === 'me' || undefined,
        createdByMyTeams: filters.whose === 'teams' || undefined,
    }
}

// Whether the task belongs on the list; null when only the server can tell.
export function fits(task: Task, filters: Filters, me: string): boolean | null {
    if (filters.environment && task.environment !== filters.environment) return false
    if (filters.status && task.status !== filters.status) return false
    if (filters.groupId && task.groupId !== filters.groupId) return false
    if (filters.whose === 'me') return task.createdBy?.id === me
    return filters.whose === 'teams' && task.createdBy?.id !== me ? null : true
}

const isNewer = (one: Task, other: Task) =>
    (one.createdAt ?? '') > (other.createdAt ?? '') ||
    (one.createdAt === other.createdAt && one.taskId > other.taskId)

const inserted = (tasks: Task[], place: number, task: Task) => [...tasks.slice(0, place), task, ...tasks.slice(place)]

export interface Listed {
    tasks: Task[]
    // Where the server goes on; null on the last page.
    nextCursor: string | null
}

// The list after a change; null when it must be asked for anew.
export function withChange(list: Listed, change: TaskChange, filters: Filters, me: string): Listed | null {
    const task = change.task
    const id = task?.taskId ?? change.taskId
    const place = list.tasks.findIndex((one) => one.taskId === id)
    const belongs = task ? fits(task, filters, me) : false
    if (!task || belongs === false)
        return place < 0 ? list : { ...list, tasks: list.tasks.filter((_, other) => other !== place) }
    if (place >= 0) return { ...list, tasks: list.tasks.map((one, other) => (other === place ? task : one)) }
    if (belongs === null) return null
    const before = list.tasks.findIndex((one) => isNewer(task, one))
    // Behind the end of what is shown it comes with its page.
    if (before < 0 && list.nextCursor) return list
    return { ...list, tasks: inserted(list.tasks, before < 0 ? list.tasks.length : before, task) }
}

// The list of tasks as it is on the server, kept up to date by GET /events.
import { useEffect, useRef, useState } from 'preact/hooks'
import { get } from '../api/client'
import type { TaskChange, TaskPage } from '../api/types'
import { type Connection, follow } from './follow'
import { type Filters, type Listed, queryOf, withChange } from './task-list'

const PAGE = 25

export interface LiveTasks {
    list: Listed | null
    error: Error | null
    connection: Connection
    isLoadingMore: boolean
    loadMore: () => void
}

// Follows the changes first and asks for the list then, so that nothing falls between.
class Live {
    list: Listed | null = null
    error: Error | null = null
    connection: Connection = 'connecting'
    isLoadingMore = false
    readonly #filters: Filters
    readonly #me: string
    readonly #changed: () => void
    readonly #aborter = new AbortController()
    #waiting: TaskChange[] = []
    #asking = 0

    constructor(filters: Filters, me: string, changed: () => void) {
        this.#filters = filters
        this.#me = me
        this.#changed = changed
    }

    start(): () => void {
        const stop = follow('/events', {
            events: (events) => {
                for (const { name, data } of events) this.#take(name, data)
                this.#tell()
            },
            connection: (state) => {
                this.connection = state
                this.#tell()
            },
            refused: (error) => this.#fail(error),
        })
        return () => {
            this.#aborter.abort()
            stop()
        }
    }

    #tell(): void {
        if (!this.#aborter.signal.aborted) this.#changed()
    }

    #fail(error: Error): void {
        this.error = error
        this.#tell()
    }

    #take(name: string, data: string): void {
        if (name === 'ready' || name === 'reset') {
            void this.#ask()
            return
        }
        if (name === 'task' || name === 'gone') this.#change(JSON.parse(data) as TaskChange)
    }

    #change(change: TaskChange): void {
        if (!this.list || this.#asking) this.#waiting.push(change)
        if (!this.list) return
        const list = withChange(this.list, change, this.#filters, this.#me)
        if (list) this.list = list
        else if (!this.#asking) void this.#ask()
    }

    // The first page anew, as long as the list was.
    async #ask(): Promise<void> {
        this.#asking++
        const limit = Math.min(100, Math.max(PAGE, this.list?.tasks.length ?? 0))
        try {
            const page = await get<TaskPage>('/tasks', { ...queryOf(this.#filters), limit }, this.#aborter.signal)
            this.list = { tasks: page.tasks, nextCursor: page.nextCursor ?? null }
            this.error = null
        } catch (error) {
            if (this.#aborter.signal.aborted) return
            this.error = error as Error
        } finally {
            this.#asking--
        }
        if (!this.#asking) {
            const waiting = this.#waiting
            this.#waiting = []
            for (const change of waiting)
                this.list = (this.list && withChange(this.list, change, this.#filters, this.#me)) ?? this.list
        }
        this.#tell()
    }

    async more(): Promise<void> {
        const cursor = this.list?.nextCursor
        if (!cursor || this.isLoadingMore) return
        this.isLoadingMore = true
        this.#tell()
        try {
            const query = { ...queryOf(this.#filters), limit: PAGE, cursor }
            const page = await get<TaskPage>('/tasks', query, this.#aborter.signal)
            const known = new Set(this.list?.tasks.map((task) => task.taskId))
            const tasks = [...(this.list?.tasks ?? []), ...page.tasks.filter((task) => !known.has(task.taskId))]
            this.list = { tasks, nextCursor: page.nextCursor ?? null }
        } catch (error) {
            if (!this.#aborter.signal.aborted) this.error = error as Error
        }
        this.isLoadingMore = false
        this.#tell()
    }
}

export function useLiveTasks(filters: Filters, me: string): LiveTasks {
    const [, setVersion] = useState(0)
    const live = useRef<Live | null>(null)
    const key = JSON.stringify(filters)
    const shown = useRef(key)
    useEffect(() => {
        const mine = new Live(JSON.parse(key) as Filters, me, () => setVersion((version) => version + 1))
        live.current = mine
        shown.current = key
        setVersion((version) => version + 1)
        return mine.start()
    }, [key, me])
    const current = shown.current === key ? live.current : null
    return {
        list: current?.list ?? null,
        error: current?.error ?? null,
        connection: current?.connection ?? 'connecting',
        isLoadingMore: current?.isLoadingMore ?? false,
        loadMore: () => void current?.more(),
    }
}

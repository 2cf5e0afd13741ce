// One task as it goes on: its state and its conversation, from GET /tasks/:id/stream.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, get, path } from '../api/client'
import type { StreamEvent, Task } from '../api/types'
import { Conversation, type Entry } from './conversation'
import { type Connection, follow } from './follow'
import type { ServerEvent } from './events'

// Events that come close together are shown together.
const GATHER_MS = 40

export interface TaskStream {
    task: Task | null
    entries: Entry[]
    connection: Connection
    error: ApiError | null
    // What is known from an answer, until the stream tells it.
    setTask: (task: Task) => void
}

interface Shown {
    id: string
    task: Task | null
    entries: Entry[]
    connection: Connection
    error: ApiError | null
}

const nothing = (id: string): Shown => ({ id, task: null, entries: [], connection: 'connecting', error: null })

class Live {
    #shown: Shown
    readonly #tell: (shown: Shown) => void
    #conversation = new Conversation()
    #gathered: StreamEvent[] = []
    #timer = 0
    readonly #aborter = new AbortController()

    constructor(id: string, tell: (shown: Shown) => void) {
        this.#shown = nothing(id)
        this.#tell = tell
    }

    start(): () => void {
        void this.#ask()
        const stop = follow(path`/tasks/${this.#shown.id}/stream`, {
            events: (events) => events.forEach((event) => this.#take(event)),
            connection: (connection) => this.change({ connection }),
            refused: (error) => this.change({ error }),
        })
        return () => {
            this.#aborter.abort()
            clearTimeout(this.#timer)
            stop()
        }
    }

    change(part: Partial<Shown>): void {
        if (this.#aborter.signal.aborted) return
        this.#shown = { ...this.#shown, ...part }
        this.#tell(this.#shown)
    }

    // The stream tells the state behind the events until then, which may be many.
    async #ask(): Promise<void> {
        try {
            const query = { includeLatestResponse: false }
            const task = await get<Task>(path`/tasks/${this.#shown.id}`, query, this.#aborter.signal)
            if (!this.#shown.task) this.change({ task })
            this.#flush()
        } catch (error) {
            if (error instanceof ApiError && error.status === 404) this.change({ error })
        }
    }

    #take({ name, data }: ServerEvent): void {
        if (name === 'event') {
            this.#gathered.push(JSON.parse(data) as StreamEvent)
            this.#timer ||= setTimeout(() => this.#flush(), GATHER_MS)
        } else if (name === 'state') {
            // It is told behind the events until then.
            const { task } = JSON.parse(data) as { task: Task }
            if (!this.#shown.task) this.change({ task })
            this.#flush()
            this.change({ task })
        } else if (name === 'reset') {
            this.#gathered = []
            this.#conversation = new Conversation()
            this.change({ entries: [] })
        }
    }

    #flush(): void {
        clearTimeout(this.#timer)
        this.#timer = 0
        // How the pieces belong together depends on the agent.
        if (!this.#gathered.length || !this.#shown.task) return
        this.#conversation.add(this.#gathered, this.#shown.task.agent === 'shell')
        this.#gathered = []
        this.change({ entries: this.#conversation.entries })
    }
}

export function useTaskStream(id: string): TaskStream {
    const [shown, setShown] = useState<Shown>(() => nothing(id))
    const live = useRef<Live | null>(null)
    useEffect(() => {
        live.current = new Live(id, setShown)
        return live.current.start()
    }, [id])
    const current = shown.id === id ? shown : nothing(id)
    return { ...current, setTask: (task) => live.current?.change({ task }) }
}

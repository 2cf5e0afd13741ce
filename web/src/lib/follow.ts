// Follows a stream of server-sent events for as long as it is wanted: comes back with the last id after a lost connection,
// and lets go of the connection while the tab is hidden (browsers open only a few to one server).
import { ApiError, errorOf } from '../api/client'
import { EventReader, type ServerEvent } from './events'

export type Connection = 'connecting' | 'open' | 'waiting' | 'paused'

export interface Follower {
    // In their order, each once.
    events(events: ServerEvent[]): void
    connection?(state: Connection): void
    // The server has refused for good: nothing follows.
    refused(error: ApiError): void
}

const SILENCE_MS = 40_000
const HIDDEN_MS = 10_000
const WAIT_FIRST_MS = 500
const WAIT_LONGEST_MS = 20_000

const isForGood = (error: unknown): error is ApiError =>
    error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429 && error.status !== 408

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((done) => {
        const end = () => {
            clearTimeout(timer)
            removeEventListener('online', end)
            done()
        }
        const timer = setTimeout(end, ms)
        addEventListener('online', end)
        signal.addEventListener('abort', end, { once: true })
    })

const shown = (signal: AbortSignal): Promise<void> =>
    new Promise((done) => {
        const look = () => {
            if (document.hidden && !signal.aborted) return
            document.removeEventListener('visibilitychange', look)
            signal.removeEventListener('abort', look)
            done()
        }
        document.addEventListener('visibilitychange', look)
        signal.addEventListener('abort', look)
        look()
    })

// Aborts when nothing came for long, or the tab was hidden for a while.
class Guard {
    readonly aborter = new AbortController()
    #silence = 0
    #hidden = 0
    readonly #look = () => {
        clearTimeout(this.#hidden)
        if (document.hidden) this.#hidden = setTimeout(() => this.aborter.abort(), HIDDEN_MS)
    }

    constructor() {
        document.addEventListener('visibilitychange', this.#look)
        this.#look()
        this.heard()
    }

    heard(): void {
        clearTimeout(this.#silence)
        this.#silence = setTimeout(() => this.aborter.abort(), SILENCE_MS)
    }

    end(): void {
        clearTimeout(this.#silence)
        clearTimeout(this.#hidden)
        document.removeEventListener('visibilitychange', this.#look)
        this.aborter.abort()
    }
}

class Following {
    readonly #path: string
    readonly #to: Follower
    readonly #stop = new AbortController()
    #lastId = ''
    #wait = WAIT_FIRST_MS

    constructor(path: string, to: Follower) {
        this.#path = path
        this.#to = to
    }

    stop(): void {
        this.#stop.abort()
    }

    async run(): Promise<void> {
        const signal = this.#stop.signal
        while (!signal.aborted) {
            this.#tell(document.hidden ? 'paused' : 'connecting')
            await shown(signal)
            if (signal.aborted) return
            try {
                await this.#connect()
            } catch (error) {
                if (signal.aborted) return
                if (isForGood(error)) {
                    this.#to.refused(error)
                    return
                }
            }
            if (signal.aborted || document.hidden) continue
            this.#tell('waiting')
            await pause(this.#wait * (0.75 + Math.random() / 2), signal)
            this.#wait = Math.min(this.#wait * 2, WAIT_LONGEST_MS)
        }
    }

    #tell(state: Connection): void {
        if (!this.#stop.signal.aborted) this.#to.connection?.(state)
    }

    async #connect(): Promise<void> {
        const guard = new Guard()
        const stop = () => guard.aborter.abort()
        this.#stop.signal.addEventListener('abort', stop)
        try {
            await this.#read(guard)
        } finally {
            this.#stop.signal.removeEventListener('abort', stop)
            guard.end()
        }
    }

    async #read(guard: Guard): Promise<void> {
        const headers: Record<string, string> = { Accept: 'text/event-stream' }
        if (this.#lastId) headers['Last-Event-ID'] = this.#lastId
        const answer = await fetch(this.#path, { headers, cache: 'no-store', signal: guard.aborter.signal })
        if (!answer.ok || !answer.body) throw await errorOf(answer)
        const reader = new EventReader(this.#lastId)
        const bytes = answer.body.getReader()
        const decoder = new TextDecoder()
        this.#tell('open')
        for (;;) {
            const { done, value } = await bytes.read()
            if (done || this.#stop.signal.aborted) return
            guard.heard()
            const events = reader.feed(decoder.decode(value, { stream: true }))
            if (!events.length) continue
            this.#wait = WAIT_FIRST_MS
            this.#lastId = reader.lastId
            this.#to.events(events)
        }
    }
}

// Returns what ends it.
export function follow(path: string, to: Follower): () => void {
    const following = new Following(path, to)
    void following.run()
    return () => following.stop()
}

// A task's events as the entries that people read. Entries are never changed, only replaced by others with the same key.
import type { StreamEvent } from '../api/types'

export type EntryKind = 'user' | 'reply' | 'thinking' | 'tool' | 'note' | 'stderr' | 'error' | 'raw'

export interface Entry {
    key: string
    kind: EntryKind
    turn: number
    // Numbers of the first and the last of its events within the turn.
    first: number
    last: number
    at: string
    text: string
    // Whether it goes on with the text of the entry before.
    isContinued?: boolean
    tool?: string
    command?: string
    paths?: string[]
    result?: string
    hasResult?: boolean
    isError?: boolean
    category?: string
}

// An event's text is at most so long; a longer one comes in several.
const EVENT_BYTES = 8192
const ENTRY_CHARACTERS = 16_384
// Of a tool's result no more is kept here; the log has all of it.
const RESULT_CHARACTERS = 100_000

const bytesOf = new TextEncoder()
const isCut = (text: string) => text.length > EVENT_BYTES / 4 && bytesOf.encode(text).length > EVENT_BYTES - 4

const kinds: Record<string, EntryKind> = { thinking: 'thinking', stderr: 'stderr', error: 'error', raw: 'raw' }

function kindOf(event: StreamEvent): EntryKind | null {
    if (event.type === 'tool_call') return 'tool'
    const kind = kinds[event.type]
    if (kind) return kind
    if (event.type !== 'text') return null
    if (event.role === 'user') return 'user'
    return event.role === 'assistant' ? 'reply' : 'note'
}

export class Conversation {
    entries: Entry[] = []
    // Where each tool call stands, by its turn and id.
    readonly #calls = new Map<string, number>()
    #turn = 0
    #seq = 0
    #wasCut = false

    // `isPlain` says that the agent prints text as it comes, so that pieces belong together however they are cut.
    add(events: StreamEvent[], isPlain: boolean): void {
        const entries = this.entries.slice()
        for (const event of events) {
            if (event.turn < this.#turn || (event.turn === this.#turn && event.seq <= this.#seq)) continue
            this.#turn = event.turn
            this.#seq = event.seq
            this.#take(entries, event, isPlain)
        }
        this.entries = entries
    }

    #take(entries: Entry[], event: StreamEvent, isPlain: boolean): void {
        const text = event.text ?? ''
        const wasCut = this.#wasCut
        this.#wasCut = isCut(text)
        if (event.type === 'tool_result') {
            this.#takeResult(entries, event, text)
            return
        }
        const kind = kindOf(event)
        if (!kind || (!text && kind !== 'tool')) return
        const last = entries.at(-1)
        const isSame = last?.kind === kind && last.turn === event.turn && kind !== 'tool' && kind !== 'error'
        const goesOn = isSame && (wasCut || isPlain || kind === 'stderr' || kind === 'raw' || kind === 'user')
        if (last && goesOn && last.text.length + text.length <= ENTRY_CHARACTERS) {
            entries[entries.length - 1] = { ...last, text: last.text + text, last: event.seq }
            return
        }
        const key = `${event.turn}.${event.seq}`
        const { seq: first, turn, t: at, tool, command, paths, category } = event
        const entry: Entry = { key, kind, turn, first, last: first, at, text, isContinued: goesOn }
        if (tool) entry.tool = tool
        if (command) entry.command = command
        if (paths) entry.paths = paths
        if (category) entry.category = category
        if (kind === 'tool' && event.toolUseId) this.#calls.set(`${turn} ${event.toolUseId}`, entries.length)
        entries.push(entry)
    }

    #takeResult(entries: Entry[], event: StreamEvent, text: string): void {
        const place = this.#calls.get(`${event.turn} ${event.toolUseId ?? ''}`)
        const call = place === undefined ? undefined : entries[place]
        if (call && place !== undefined) {
            const result = ((call.result ?? '') + text).slice(0, RESULT_CHARACTERS)
            const isError = event.isError || call.isError || false
            entries[place] = { ...call, result, hasResult: true, isError }
            return
        }
        entries.push({
            key: `${event.turn}.${event.seq}`,
            kind: 'tool',
            turn: event.turn,
            first: event.seq,
            last: event.seq,
            at: event.t,
            text: '',
            tool: event.tool ?? 'tool',
            result: text,
            hasResult: true,
            isError: event.isError ?? false,
        })
    }
}

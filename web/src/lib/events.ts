// Reads a stream of server-sent events (WHATWG HTML, section 9.2.6) piece by piece.

export interface ServerEvent {
    name: string
    data: string
}

export class EventReader {
    // The id of the last whole event, or the one before it that had one: what to go on from.
    lastId: string
    #id: string
    #rest = ''
    #name = ''
    #data: string[] = []

    constructor(lastId = '') {
        this.lastId = this.#id = lastId
    }

    feed(piece: string): ServerEvent[] {
        const events: ServerEvent[] = []
        const text = this.#rest + piece
        let at = 0
        for (;;) {
            let end = at
            while (end < text.length && text[end] !== '\n' && text[end] !== '\r') end++
            // Behind a CR at the end there may be its LF.
            if (end === text.length || (text[end] === '\r' && end + 1 === text.length)) break
            this.#line(text.slice(at, end), events)
            at = text[end] === '\r' && text[end + 1] === '\n' ? end + 2 : end + 1
        }
        this.#rest = text.slice(at)
        return events
    }

    #line(line: string, events: ServerEvent[]): void {
        if (line === '') {
            if (this.#data.length) events.push({ name: this.#name || 'message', data: this.#data.join('\n') })
            this.lastId = this.#id
            this.#name = ''
            this.#data = []
            return
        }
        const colon = line.indexOf(':')
        if (colon === 0) return
        const field = colon < 0 ? line : line.slice(0, colon)
        const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
        if (field === 'event') this.#name = value
        else if (field === 'data') this.#data.push(value)
        else if (field === 'id' && !value.includes('\0')) this.#id = value
    }
}

import { describe, expect, it } from 'vitest'
import type { StreamEvent } from '../src/api/types'
import { Conversation } from '../src/lib/conversation'

const event = (turn: number, seq: number, type: string, text = '', more: Partial<StreamEvent> = {}): StreamEvent => ({
    t: '2026-01-01T00:00:00Z',
    turn,
    seq,
    role: 'assistant',
    type,
    text,
    ...more,
})

const texts = (conversation: Conversation) => conversation.entries.map((entry) => entry.text)

describe('a conversation', () => {
    it('joins the pieces of a plain agent and keeps the replies of others apart', () => {
        const plain = new Conversation()
        plain.add([event(1, 1, 'text', 'a\n'), event(1, 2, 'text', 'b\n')], true)
        expect(texts(plain)).toEqual(['a\nb\n'])
        expect(plain.entries[0]).toMatchObject({ first: 1, last: 2 })
        const other = new Conversation()
        other.add([event(1, 1, 'text', 'a'), event(1, 2, 'text', 'b')], false)
        expect(texts(other)).toEqual(['a', 'b'])
    })

    it('joins the pieces of a text that was too long for one event', () => {
        const conversation = new Conversation()
        conversation.add([event(1, 1, 'text', 'x'.repeat(8192)), event(1, 2, 'text', 'end')], false)
        expect(conversation.entries).toHaveLength(1)
    })

    it('takes each event once, whatever comes again', () => {
        const conversation = new Conversation()
        const events = [event(1, 1, 'text', 'a'), event(1, 2, 'text', 'b'), event(2, 1, 'text', 'c')]
        conversation.add(events, false)
        conversation.add(events, false)
        conversation.add([event(1, 3, 'text', 'late')], false)
        expect(texts(conversation)).toEqual(['a', 'b', 'c'])
    })

    it('puts a result to its call and leaves older entries as they were', () => {
        const conversation = new Conversation()
        conversation.add([event(1, 1, 'tool_call', '{}', { tool: 'Bash', toolUseId: 't1', command: 'ls' })], false)
        const before = conversation.entries[0]
        conversation.add([event(1, 2, 'text', 'meanwhile'), event(1, 3, 'tool_result', 'out', { toolUseId: 't1', isError: true })], false)
        expect(conversation.entries[0]).toMatchObject({ tool: 'Bash', command: 'ls', result: 'out', isError: true })
        expect(before).not.toHaveProperty('result')
        expect(conversation.entries).toHaveLength(2)
    })

    it('shows a result without its call, and nothing of what is only counted', () => {
        const conversation = new Conversation()
        conversation.add([event(1, 1, 'tool_result', 'alone'), event(1, 2, 'usage')], false)
        expect(conversation.entries).toMatchObject([{ kind: 'tool', result: 'alone' }])
    })

    it('begins another entry when one has become long', () => {
        const conversation = new Conversation()
        const events = Array.from({ length: 100 }, (_, i) => event(1, i + 1, 'text', 'y'.repeat(1000)))
        conversation.add(events, true)
        expect(conversation.entries.length).toBeGreaterThan(5)
        expect(conversation.entries[1]?.isContinued).toBe(true)
        expect(texts(conversation).join('')).toHaveLength(100_000)
    })

    it('takes ten thousand events in a moment', () => {
        const conversation = new Conversation()
        const started = performance.now()
        for (let i = 0; i < 100; i++)
            conversation.add(
                Array.from({ length: 100 }, (_, j) => event(1, i * 100 + j + 1, 'text', 'a line\n')),
                false,
            )
        expect(conversation.entries).toHaveLength(10_000)
        expect(performance.now() - started).toBeLessThan(5000)
    })
})

import { describe, expect, it } from 'vitest'
import { EventReader } from '../src/lib/events'

const all = 'retry: 2000\n\nid: 1.1\nevent: event\ndata: {"a":1}\n\n: heartbeat\nevent: state\ndata: x\ndata: y\n\nid: 1.2\r\ndata: ü\r\n\r\n'

describe('a stream of events', () => {
    it('is read the same however it is cut', () => {
        for (let size = 1; size <= all.length; size++) {
            const reader = new EventReader()
            const events = []
            for (let at = 0; at < all.length; at += size) events.push(...reader.feed(all.slice(at, at + size)))
            expect(events).toEqual([
                { name: 'event', data: '{"a":1}' },
                { name: 'state', data: 'x\ny' },
                { name: 'message', data: 'ü' },
            ])
            expect(reader.lastId).toBe('1.2')
        }
    })

    it('goes on from the last whole event only', () => {
        const reader = new EventReader('1.0')
        reader.feed('id: 1.1\ndata: a\n\nid: 1.2\ndata: half')
        expect(reader.lastId).toBe('1.1')
    })

    it('keeps the id over events without one', () => {
        const reader = new EventReader()
        reader.feed('id: 7\ndata: a\n\nevent: state\ndata: b\n\n')
        expect(reader.lastId).toBe('7')
    })
})

// The conversation: the end of it, which follows what comes, or the part that somebody scrolled to.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entry } from '../lib/conversation'
import { earlier, later, windowOf } from '../lib/window'
import { EntryView } from './entry'

// So near the end counts as being there.
const NEAR_PIXELS = 120

const root = () => document.documentElement
const isAtEnd = () => root().scrollHeight - (scrollY + innerHeight) < NEAR_PIXELS

interface ConversationProps {
    entries: Entry[]
    isPlain: boolean
    isRunning: boolean
}

export function ConversationView({ entries, isPlain, isRunning }: ConversationProps) {
    // The first entry that is shown when the end is not followed.
    const [start, setStart] = useState<number | null>(null)
    const { from, to } = windowOf(entries.length, start)
    const shown = useRef(from)
    shown.current = from
    // Distance from the bottom to be kept over the next rendering.
    const keep = useRef<number | null>(null)

    useEffect(() => {
        const scrolled = () => setStart((before) => (isAtEnd() ? (before !== null && hidden.current ? before : null) : (before ?? shown.current)))
        addEventListener('scroll', scrolled, { passive: true })
        return () => removeEventListener('scroll', scrolled)
    }, [])
    const hidden = useRef(false)
    hidden.current = to < entries.length

    useLayoutEffect(() => {
        if (keep.current !== null) scrollTo(scrollX, root().scrollHeight - keep.current)
        else if (start === null) scrollTo(scrollX, root().scrollHeight)
        keep.current = null
    }, [entries, start])

    const showEarlier = () => {
        keep.current = root().scrollHeight - scrollY
        setStart(earlier(from))
    }
    return (
        <section class="conversation" role="log" aria-live="off" aria-label="Conversation" tabIndex={0}>
            {from > 0 && (
                <button type="button" class="more" onClick={showEarlier}>
                    Show earlier ({from} more)
                </button>
            )}
            {entries.slice(from, to).map((entry) => (
                <EntryView key={entry.key} entry={entry} isPlain={isPlain} />
            ))}
            {hidden.current && (
                <button type="button" class="more" onClick={() => setStart(later(from, entries.length))}>
                    Show later ({entries.length - to} more)
                </button>
            )}
            {entries.length === 0 && !isRunning && <p class="empty">Nothing was said yet.</p>}
            {isRunning && <p class="working quiet">The agent works …</p>}
            {start !== null && (
                <button type="button" class="to-end" onClick={() => setStart(null)}>
                    ↓ To the end
                </button>
            )}
        </section>
    )
}

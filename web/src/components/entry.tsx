// One entry of a conversation.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Entry } from '../lib/conversation'
import { memo } from '../lib/memo'
import { Markdown } from './markdown'

const SUMMARY_CHARACTERS = 160
const LONG_CHARACTERS = 4000

// Its inside is made only while it is open.
function Folded({ summary, children, className }: { summary: ComponentChildren; children: () => ComponentChildren; className?: string }) {
    const [isOpen, setOpen] = useState(false)
    return (
        <details class={className} onToggle={(event) => setOpen(event.currentTarget.open)}>
            <summary>{summary}</summary>
            {isOpen && children()}
        </details>
    )
}

const firstLine = (text: string) => {
    const line = text.trimStart().split('\n', 1)[0] ?? ''
    return line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS)}…` : line
}

function Plain({ text }: { text: string }) {
    return <pre tabIndex={text.length > 200 ? 0 : undefined}>{text}</pre>
}

function LongText({ text }: { text: string }) {
    const [isWhole, setWhole] = useState(false)
    if (isWhole || text.length <= LONG_CHARACTERS) return <div class="as-written">{text}</div>
    return (
        <>
            <div class="as-written">{text.slice(0, LONG_CHARACTERS / 2)}…</div>
            <button type="button" class="bare" onClick={() => setWhole(true)}>
                Show all of it
            </button>
        </>
    )
}

function Tool({ entry }: { entry: Entry }) {
    const about = entry.command ?? entry.paths?.join(', ') ?? firstLine(entry.text)
    const sign = entry.isError ? 'failed' : entry.hasResult ? 'done' : 'called'
    return (
        <Folded
            className={`tool is-${sign}`}
            summary={
                <>
                    <strong>{entry.tool ?? 'tool'}</strong> <code>{firstLine(about)}</code>
                    {entry.isError && <span class="fault"> failed</span>}
                </>
            }
        >
            {() => (
                <>
                    {entry.command && <Plain text={entry.command} />}
                    {entry.text && entry.text !== entry.command && <Plain text={entry.text} />}
                    {entry.result ? <Plain text={entry.result} /> : <p class="quiet">{entry.hasResult ? 'It answered nothing.' : 'No answer yet.'}</p>}
                </>
            )}
        </Folded>
    )
}

function inside(entry: Entry, isPlain: boolean): ComponentChildren {
    switch (entry.kind) {
        case 'user':
            return (
                <>
                    <h3 class="speaker">Instructions</h3>
                    <LongText text={entry.text} />
                </>
            )
        case 'reply':
            return isPlain ? <Plain text={entry.text} /> : <Markdown text={entry.text} />
        case 'thinking':
            return (
                <Folded className="thinking" summary={<>Thinking: {firstLine(entry.text)}</>}>
                    {() => <div class="as-written">{entry.text}</div>}
                </Folded>
            )
        case 'tool':
            return <Tool entry={entry} />
        case 'raw':
            return (
                <Folded className="raw" summary={<>Other output: {firstLine(entry.text)}</>}>
                    {() => <Plain text={entry.text} />}
                </Folded>
            )
        case 'note':
            return <p class="quiet as-written">{entry.text}</p>
        case 'stderr':
            return <Plain text={entry.text} />
        case 'error':
            return (
                <p class="as-written">
                    <strong>Error{entry.category && entry.category !== 'unknown' ? ` (${entry.category})` : ''}:</strong> {entry.text}
                </p>
            )
    }
}

export const EntryView = memo(function EntryView({ entry, isPlain }: { entry: Entry; isPlain: boolean }) {
    return (
        <div
            class={`entry is-${entry.kind}${entry.isContinued ? ' is-continued' : ''}`}
            data-turn={entry.turn}
            data-first={entry.first}
            data-last={entry.last}
        >
            {inside(entry, isPlain)}
        </div>
    )
})

// A file that the task left, page by page.
import { useEffect, useState } from 'preact/hooks'
import { isProbablyText, type Piece, readPiece, textOf } from '../lib/file-page'
import { size } from '../lib/time'
import { Markdown } from './markdown'
import { Failed, Wait } from './wait'

interface FileViewProps {
    taskId: string
    path: string
}

export function FileView({ taskId, path }: FileViewProps) {
    const [pieces, setPieces] = useState<Piece[]>([])
    const [error, setError] = useState<Error | null>(null)
    const [isReading, setReading] = useState(false)
    const read = async (offset: number, signal?: AbortSignal) => {
        setReading(true)
        setError(null)
        try {
            const piece = await readPiece(taskId, path, offset, signal)
            if (!signal?.aborted) setPieces((before) => (offset ? [...before, piece] : [piece]))
        } catch (problem) {
            if (!signal?.aborted) setError(problem as Error)
        }
        if (!signal?.aborted) setReading(false)
    }
    useEffect(() => {
        const aborter = new AbortController()
        setPieces([])
        void read(0, aborter.signal)
        return () => aborter.abort()
    }, [taskId, path])
    const first = pieces[0]
    const last = pieces.at(-1)
    if (!first) return error ? <Failed error={error} onRetry={() => void read(0)} /> : <Wait what={path} />
    if (!isProbablyText(first)) return <p class="quiet">It is not text; download it to look at it.</p>
    const text = pieces.map(textOf).join('')
    const isWhole = last !== undefined && last.end >= last.size
    return (
        <>
            {isWhole && /\.(md|markdown)$/i.test(path) ? <Markdown text={text} /> : <pre tabIndex={0}>{text || '(empty)'}</pre>}
            {error && <Failed error={error} />}
            {last && !isWhole && (
                <button type="button" class="more" disabled={isReading} onClick={() => void read(last.end)}>
                    Read on ({size(last.size - last.end)} more)
                </button>
            )}
        </>
    )
}

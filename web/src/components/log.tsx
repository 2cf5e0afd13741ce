// The raw log: its end, which grows, and what stands before it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/client'
import { FILE_PAGE_BYTES, type Piece, readPiece, textOf } from '../lib/file-page'
import { size } from '../lib/time'
import { downloadAddress } from './files'
import { Failed, Wait } from './wait'

const LOG = 'log.txt'
const READ_AGAIN_MS = 700

const isMissing = (error: unknown) => error instanceof ApiError && error.status === 404

// Reads all that has been added since; the end of the file first of all.
async function readOn(taskId: string, pieces: Piece[], signal: AbortSignal): Promise<Piece[]> {
    const all = [...pieces]
    let at = all.at(-1)?.end
    if (at === undefined) {
        const first = await readPiece(taskId, LOG, 0, signal)
        if (first.end >= first.size) return [first]
        at = Math.max(0, first.size - FILE_PAGE_BYTES)
    }
    for (;;) {
        const piece = await readPiece(taskId, LOG, at, signal)
        if (piece.end > piece.offset) all.push(piece)
        if (piece.end >= piece.size || piece.end === piece.offset) return all
        at = piece.end
    }
}

// `version` changes when there may be more.
export function Log({ taskId, version }: { taskId: string; version: string }) {
    const [pieces, setPieces] = useState<Piece[] | null>(null)
    const [error, setError] = useState<Error | null>(null)
    const now = useRef<Piece[]>([])
    const take = (all: Piece[]) => {
        now.current = all
        setPieces(all)
    }
    useEffect(() => {
        const aborter = new AbortController()
        const read = async () => {
            try {
                take(await readOn(taskId, now.current, aborter.signal))
                setError(null)
            } catch (problem) {
                if (aborter.signal.aborted) return
                if (isMissing(problem)) take([])
                else setError(problem as Error)
            }
        }
        const timer = setTimeout(() => void read(), now.current.length ? READ_AGAIN_MS : 0)
        return () => {
            clearTimeout(timer)
            aborter.abort()
        }
    }, [taskId, version])
    const before = async () => {
        const first = now.current[0]
        if (!first) return
        const at = Math.max(0, first.offset - FILE_PAGE_BYTES)
        try {
            const piece = await readPiece(taskId, LOG, at)
            const bytes = piece.bytes.subarray(0, first.offset - at)
            take([{ ...piece, bytes, end: first.offset }, ...now.current])
        } catch (problem) {
            setError(problem as Error)
        }
    }
    if (!pieces) return error ? <Failed error={error} /> : <Wait what="the log" />
    const first = pieces[0]
    return (
        <section aria-label="Log">
            <p class="list-state">
                <a href={downloadAddress(taskId, LOG)} download={LOG}>
                    Download all of it
                </a>
            </p>
            {error && <Failed error={error} />}
            {first && first.offset > 0 && (
                <button type="button" class="more" onClick={() => void before()}>
                    Show earlier ({size(first.offset)} more)
                </button>
            )}
            {pieces.length ? (
                <pre class="log" tabIndex={0}>
                    {pieces.map((piece) => (
                        <span key={piece.offset}>{textOf(piece)}</span>
                    ))}
                </pre>
            ) : (
                <p class="empty">Nothing was printed yet.</p>
            )}
        </section>
    )
}

// The files that a task left.
import { useEffect, useState } from 'preact/hooks'
import { get, path } from '../api/client'
import type { OutputFile, OutputFiles } from '../api/types'
import { useLoaded } from '../lib/loaded'
import { size } from '../lib/time'
import { FileView } from './file-view'
import { Ago } from './time'
import { Failed, Wait } from './wait'

const PAGES_MAXIMUM = 20

interface All {
    files: OutputFile[]
    omitted: number
}

async function readFiles(taskId: string, signal: AbortSignal): Promise<All> {
    const files: OutputFile[] = []
    let omitted = 0
    let cursor: string | undefined
    for (let page = 0; page < PAGES_MAXIMUM; page++) {
        const found: OutputFiles = await get<OutputFiles>(path`/tasks/${taskId}/files`, { limit: 100, cursor }, signal)
        files.push(...found.files)
        omitted = found.filesOmitted ?? 0
        if (!found.nextCursor) break
        cursor = found.nextCursor
    }
    return { files, omitted }
}

export const downloadAddress = (taskId: string, file: string) =>
    `/tasks/${encodeURIComponent(taskId)}/files/${file.split('/').map(encodeURIComponent).join('/')}`

// `version` changes when there may be others.
export function Files({ taskId, version }: { taskId: string; version: string }) {
    const found = useLoaded(taskId, (signal) => readFiles(taskId, signal))
    const [open, setOpen] = useState<string | null>(null)
    useEffect(() => {
        found.reload()
    }, [version])
    if (found.error) return <Failed error={found.error} onRetry={found.reload} />
    if (!found.value) return <Wait what="the files" />
    return (
        <section aria-label="Output files">
            {found.value.files.length === 0 && <p class="empty">It has left no files.</p>}
            <ul class="things files">
                {found.value.files.map((file) => (
                    <li key={file.path}>
                        <button
                            type="button"
                            class="bare file-name"
                            aria-expanded={open === file.path}
                            onClick={() => setOpen(open === file.path ? null : file.path)}
                        >
                            {file.path}
                        </button>
                        <span class="facts">
                            <span>{size(file.size ?? 0)}</span>
                            <Ago at={file.modifiedAt} />
                        </span>
                        <a
                            href={downloadAddress(taskId, file.path)}
                            download={file.path.split('/').at(-1)}
                            aria-label={`Download ${file.path}`}
                        >
                            Download
                        </a>
                        {open === file.path && (
                            <div class="file-content">
                                <FileView taskId={taskId} path={file.path} />
                            </div>
                        )}
                    </li>
                ))}
            </ul>
            {found.value.omitted > 0 && <p class="quiet">{found.value.omitted} more are not listed.</p>}
        </section>
    )
}

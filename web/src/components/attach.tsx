// Chooses files that go with instructions; also by dropping and pasting them into the box around.
import { useRef } from 'preact/hooks'
import { size } from '../lib/time'

interface AttachProps {
    files: File[]
    onFiles: (files: File[]) => void
}

export function Attach({ files, onFiles }: AttachProps) {
    const input = useRef<HTMLInputElement>(null)
    return (
        <div class="attach">
            <input
                ref={input}
                type="file"
                multiple
                class="unseen"
                tabIndex={-1}
                aria-hidden="true"
                onChange={(event) => {
                    onFiles([...files, ...(event.currentTarget.files ?? [])])
                    event.currentTarget.value = ''
                }}
            />
            <button type="button" onClick={() => input.current?.click()}>
                Attach files
            </button>
            {files.length > 0 && (
                <ul class="chips" aria-label="Attached files">
                    {files.map((file, place) => (
                        <li key={`${place} ${file.name}`}>
                            {file.name} <span class="quiet">{size(file.size)}</span>
                            <button
                                type="button"
                                class="bare"
                                aria-label={`Remove ${file.name}`}
                                onClick={() => onFiles(files.filter((_, other) => other !== place))}
                            >
                                ×
                            </button>
                        </li>
                    ))}
                </ul>
            )}
        </div>
    )
}

// Properties of an element that takes files which are dropped or pasted on it.
export function takesFiles(files: File[], onFiles: (files: File[]) => void) {
    const take = (event: Event, given: FileList | undefined) => {
        if (!given?.length) return
        event.preventDefault()
        onFiles([...files, ...given])
    }
    return {
        onDragOver: (event: DragEvent) => event.preventDefault(),
        onDrop: (event: DragEvent) => take(event, event.dataTransfer?.files),
        onPaste: (event: ClipboardEvent) => take(event, event.clipboardData?.files),
    }
}

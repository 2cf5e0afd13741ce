// The box for further instructions.
import { useEffect, useRef, useState } from 'preact/hooks'
import { path, post } from '../api/client'
import type { Status, Task } from '../api/types'
import { useAction } from '../lib/action'
import { withUploads } from '../lib/attachments'
import { uuid } from '../lib/id'
import { Attach, takesFiles } from './attach'
import { Fault } from './field'

interface ComposerProps {
    taskId: string
    status: Status
    onSent: (task: Task | undefined) => void
}

// What was written and not sent survives loading the page again.
function useDraft(taskId: string): [string, (text: string) => void] {
    const name = `draft ${taskId}`
    const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '')
    useEffect(() => {
        if (text) sessionStorage.setItem(name, text)
        else sessionStorage.removeItem(name)
    }, [name, text])
    return [text, setText]
}

export function Composer({ taskId, status, onSent }: ComposerProps) {
    const [text, setText] = useDraft(taskId)
    const [files, setFiles] = useState<File[]>([])
    const sending = useRef({ content: '', key: '' })
    const action = useAction(async () => {
        const content = JSON.stringify([text, files.map((file) => [file.name, file.size, file.lastModified])])
        // Sending the same once more after a lost answer does not deliver it twice.
        if (sending.current.content !== content) sending.current = { content, key: uuid() }
        const body = { instructions: text, idempotencyKey: sending.current.key }
        const answer = await withUploads(files, (attachments) =>
            post<{ task?: Task }>(path`/tasks/${taskId}/follow-ups`, { ...body, ...(attachments.length && { attachments }) }),
        )
        sending.current = { content: '', key: '' }
        setText('')
        setFiles([])
        onSent(answer.task)
    })
    const label = status === 'staged' ? 'Start with these instructions' : 'Follow up'
    return (
        <form
            class="composer"
            aria-label={label}
            {...takesFiles(files, setFiles)}
            onSubmit={(event) => {
                event.preventDefault()
                if (text.trim()) void action.run()
            }}
        >
            <Fault text={action.error?.message} />
            <textarea
                aria-label="Further instructions"
                placeholder="What is to be done next? (Ctrl+Enter sends)"
                rows={2}
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
                onKeyDown={(event) => {
                    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit()
                }}
            />
            <div class="buttons">
                <Attach files={files} onFiles={setFiles} />
                <button class="primary" disabled={action.isBusy || !text.trim()}>
                    {label}
                </button>
            </div>
        </form>
    )
}

// What can be done with a task as a whole.
import { useState } from 'preact/hooks'
import { call, path, post } from '../api/client'
import { mayIn, session } from '../api/session'
import type { Task } from '../api/types'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { go } from '../lib/router'
import { useStore } from '../lib/store'
import { Confirm } from './dialog'
import { TextField } from './field'
import { say } from './toast'

interface TaskActionsProps {
    task: Task
    onTask: (task: Task) => void
}

function Rename({ task, onTask, onClose }: TaskActionsProps & { onClose: () => void }) {
    const [name, setName] = useState(task.name ?? '')
    const action = useAction(async () => {
        const answer = await call<{ task?: Task }>('PATCH', path`/tasks/${task.taskId}`, { body: { name: name.trim() } })
        if (answer.task) onTask(answer.task)
    })
    const faults = new Faults(action.error, ['name'])
    return (
        <Confirm title="Rename the task" verb="Rename" action={action} fault={faults.other ?? ''} onClose={onClose}>
            <TextField label="Name" autofocus required maxLength={120} value={name} onValue={setName} error={faults.of('name')} />
        </Confirm>
    )
}

function Delete({ task, onClose }: { task: Task; onClose: () => void }) {
    const action = useAction(async () => {
        await call('DELETE', path`/tasks/${task.taskId}`)
        say('The task is deleted.')
        go('/')
    })
    return (
        <Confirm title="Delete the task?" verb="Delete" isGrave action={action} onClose={onClose}>
            <p>Its container, workspace and files go. Only its record stays.</p>
        </Confirm>
    )
}

export function TaskActions({ task, onTask }: TaskActionsProps) {
    const current = useStore(session)
    const [dialog, setDialog] = useState<'rename' | 'delete' | null>(null)
    const action = useAction(async (work: () => Promise<unknown>) => {
        await work()
    })
    const may = (permission: string) => {
        if (current.state !== 'in') return false
        const isOwn = task.createdBy?.id === current.me.id
        return mayIn(current.me, isOwn ? permission : `${permission}_any`, task.environment)
    }
    const run = (work: () => Promise<unknown>) =>
        void action.run(async () => {
            try {
                await work()
            } catch (error) {
                say((error as Error).message, true)
            }
        })
    const at = (verb: string) => `/tasks/${encodeURIComponent(task.taskId)}/${verb}`
    const isRunning = task.status === 'running' || task.status === 'queued'
    const share = async () => {
        onTask(await call<Task>('PUT', at('shared'), { body: { shared: !task.shared } }))
        say(task.shared ? 'Only you see it now.' : 'It is shared now.')
    }
    return (
        <div class="actions">
            {may('tasks:execute') && task.status === 'running' && (
                <button type="button" disabled={action.isBusy} onClick={() => run(() => post(at('interrupt')))}>
                    Interrupt
                </button>
            )}
            {may('tasks:execute') && isRunning && (
                <button type="button" class="grave" disabled={action.isBusy} onClick={() => run(() => post(at('stop')))}>
                    Stop
                </button>
            )}
            {may('tasks:change') && (
                <>
                    {task.status === 'staged' && (
                        <button type="button" class="primary" disabled={action.isBusy} onClick={() => run(() => post(at('start')))}>
                            Start
                        </button>
                    )}
                    <button type="button" onClick={() => setDialog('rename')}>
                        Rename
                    </button>
                    <button type="button" disabled={action.isBusy} aria-pressed={task.shared ?? false} onClick={() => run(share)}>
                        {task.shared ? 'Shared' : 'Share'}
                    </button>
                    {!isRunning && (
                        <button type="button" class="grave" onClick={() => setDialog('delete')}>
                            Delete
                        </button>
                    )}
                </>
            )}
            {dialog === 'rename' && <Rename task={task} onTask={onTask} onClose={() => setDialog(null)} />}
            {dialog === 'delete' && <Delete task={task} onClose={() => setDialog(null)} />}
        </div>
    )
}

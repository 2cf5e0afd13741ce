import type { Status } from '../api/types'

const signs: Record<Status, string> = {
    staged: '◌',
    queued: '◔',
    running: '●',
    completed: '✓',
    failed: '✕',
    interrupted: '■',
}

export function StatusBadge({ status }: { status: Status }) {
    return (
        <span class={`status is-${status}`}>
            <span aria-hidden="true">{signs[status]}</span> {status}
        </span>
    )
}

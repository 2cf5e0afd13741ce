// Says when what is shown may be old.
import type { Connection } from '../lib/follow'

const words: Record<Connection, string> = {
    open: 'Live',
    connecting: 'Connecting …',
    waiting: 'Connection lost; trying again …',
    paused: 'Paused',
}

export function ConnectionSign({ state }: { state: Connection }) {
    return (
        <span class={`connection is-${state}`} role="status">
            {words[state]}
        </span>
    )
}

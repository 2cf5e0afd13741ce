import { ago, useNow } from '../lib/time'

export function Ago({ at }: { at: string | null | undefined }) {
    const now = useNow()
    if (!at) return <span class="quiet">never</span>
    return (
        <time dateTime={at} title={new Date(at).toLocaleString()}>
            {ago(at, now)}
        </time>
    )
}

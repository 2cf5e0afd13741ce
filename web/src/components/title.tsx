// The heading of a view, which also names the tab.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
    useEffect(() => {
        document.title = `${text} · Longshore`
    }, [text])
    return (
        <div class="title">
            <h1>{text}</h1>
            {children}
        </div>
    )
}

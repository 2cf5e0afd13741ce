import { useState } from 'preact/hooks'
import { copyText } from '../lib/clipboard'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
    const [answer, setAnswer] = useState('')
    const copy = async () => {
        setAnswer((await copyText(text)) ? 'Copied' : 'Select it and copy it yourself')
        setTimeout(() => setAnswer(''), 3000)
    }
    return (
        <button type="button" onClick={() => void copy()} aria-live="polite">
            {answer || label}
        </button>
    )
}

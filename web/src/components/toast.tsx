// Short words about what has happened, for eyes and for screen readers.
import { Store, useStore } from '../lib/store'

interface Words {
    number: number
    text: string
    isError: boolean
}

const words = new Store<Words[]>([])
let number = 0

export function say(text: string, isError = false): void {
    const mine = ++number
    words.set([...words.value.slice(-2), { number: mine, text, isError }])
    setTimeout(() => words.set(words.value.filter((one) => one.number !== mine)), isError ? 12_000 : 5000)
}

export function Toasts() {
    return (
        <div class="toasts" role="status" aria-live="polite">
            {useStore(words).map((one) => (
                <p key={one.number} class={one.isError ? 'toast is-error' : 'toast'}>
                    {one.text}
                </p>
            ))}
        </div>
    )
}

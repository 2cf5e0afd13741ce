// Something that is done on the server when a person asks for it.
import { useRef, useState } from 'preact/hooks'

export interface Action<A extends unknown[]> {
    run: (...given: A) => Promise<boolean>
    isBusy: boolean
    error: Error | null
    clear: () => void
}

export function useAction<A extends unknown[]>(work: (...given: A) => Promise<void>): Action<A> {
    const [isBusy, setBusy] = useState(false)
    const [error, setError] = useState<Error | null>(null)
    const busy = useRef(false)
    const run = async (...given: A): Promise<boolean> => {
        if (busy.current) return false
        busy.current = true
        setBusy(true)
        setError(null)
        try {
            await work(...given)
            return true
        } catch (caught) {
            setError(caught instanceof Error ? caught : new Error(String(caught)))
            return false
        } finally {
            busy.current = false
            setBusy(false)
        }
    }
    return { run, isBusy, error, clear: () => setError(null) }
}

// What is read from the server for a view.
import { useEffect, useRef, useState } from 'preact/hooks'

export interface Loaded<T> {
    value: T | null
    error: Error | null
    reload: () => void
}

// Reads anew whenever the key changes (null: nothing is read yet); what was read for another key is not shown.
export function useLoaded<T>(key: string | null, read: (signal: AbortSignal) => Promise<T>): Loaded<T> {
    const [state, setState] = useState<{ key: string | null; value: T | null; error: Error | null }>({
        key: null,
        value: null,
        error: null,
    })
    const [version, setVersion] = useState(0)
    const reader = useRef(read)
    reader.current = read
    useEffect(() => {
        if (key === null) return
        const aborter = new AbortController()
        reader
            .current(aborter.signal)
            .then((value) => !aborter.signal.aborted && setState({ key, value, error: null }))
            .catch((error: Error) => !aborter.signal.aborted && setState({ key, value: null, error }))
        return () => aborter.abort()
    }, [key, version])
    const isOf = state.key === key
    return {
        value: isOf ? state.value : null,
        error: isOf ? state.error : null,
        reload: () => setVersion((before) => before + 1),
    }
}

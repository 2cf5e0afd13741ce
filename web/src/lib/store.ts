// A value that components can watch.
import { useEffect, useState } from 'preact/hooks'

export class Store<T> {
    #value: T
    readonly #watchers = new Set<() => void>()

    constructor(value: T) {
        this.#value = value
    }

    get value(): T {
        return this.#value
    }

    set(value: T): void {
        if (Object.is(value, this.#value)) return
        this.#value = value
        for (const watcher of [...this.#watchers]) watcher()
    }

    watch(watcher: () => void): () => void {
        this.#watchers.add(watcher)
        return () => this.#watchers.delete(watcher)
    }
}

export function useStore<T>(store: Store<T>): T {
    const [, setVersion] = useState(0)
    useEffect(() => {
        const renew = () => setVersion((version) => version + 1)
        // It may have changed between the first rendering and now.
        renew()
        return store.watch(renew)
    }, [store])
    return store.value
}

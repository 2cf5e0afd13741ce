// Times and sizes as people read them.
import { useEffect } from 'preact/hooks'
import { Store, useStore } from './store'

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' })
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['year', 31_536_000],
    ['month', 2_592_000],
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
]

export function ago(iso: string, now: number): string {
    const seconds = (Date.parse(iso) - now) / 1000
    for (const [unit, length] of steps)
        if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
    return seconds > 5 ? 'in a moment' : 'just now'
}

export function duration(from: string, to: number): string {
    const seconds = Math.max(0, Math.round((to - Date.parse(from)) / 1000))
    if (seconds < 60) return `${seconds} s`
    const minutes = Math.floor(seconds / 60)
    return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

export function size(bytes: number): string {
    if (bytes < 1000) return `${bytes} B`
    const units = ['kB', 'MB', 'GB', 'TB']
    let value = bytes / 1000
    let unit = 0
    while (value >= 999.5 && unit < units.length - 1) {
        value /= 1000
        unit++
    }
    return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

const clock = new Store(Date.now())
let watchers = 0
let timer = 0

// The time, anew every so often while somebody looks.
export function useNow(): number {
    useEffect(() => {
        if (watchers++ === 0) timer = setInterval(() => clock.set(Date.now()), 15_000)
        clock.set(Date.now())
        return () => {
            if (--watchers === 0) clearInterval(timer)
        }
    }, [])
    return useStore(clock)
}

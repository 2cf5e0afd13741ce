// Which part of a long list of entries is on the page.

const PAGE = 200
const MOST = 800

export interface Window {
    from: number
    to: number
}

// `from` null: the end is followed.
export function windowOf(count: number, from: number | null): Window {
    if (from === null) return { from: Math.max(0, count - PAGE), to: count }
    return { from: Math.min(from, count), to: Math.min(count, from + MOST) }
}

export const earlier = (from: number): number => Math.max(0, from - PAGE)
export const later = (from: number, count: number): number => Math.min(from + PAGE, Math.max(0, count - PAGE))

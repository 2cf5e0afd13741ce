// Where the page is, and going elsewhere without loading it anew.
import { Store } from './store'

export interface Place {
    path: string
    query: URLSearchParams
}

const read = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) })

export const place = new Store<Place>(read())

const isOwn = (path: string) => path === '/' || /^\/[^/]+\.html$/.test(path)

export function go(href: string, { replace = false } = {}): void {
    const url = new URL(href, location.href)
    if (url.origin !== location.origin || !isOwn(url.pathname)) {
        location.assign(url)
        return
    }
    if (replace) history.replaceState(null, '', url)
    else if (url.href !== location.href) history.pushState(null, '', url)
    const before = place.value.path
    place.set(read())
    if (!replace && before !== url.pathname) scrollTo(0, 0)
}

function clicked(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    if (link.target || link.hasAttribute('download') || link.origin !== location.origin) return
    if (!isOwn(link.pathname) || link.getAttribute('href')?.startsWith('#')) return
    event.preventDefault()
    go(link.href)
}

export function startRouter(): void {
    addEventListener('popstate', () => place.set(read()))
    document.addEventListener('click', clicked)
}

// Calls of the REST routes with the browser's session.

export class ApiError extends Error {
    readonly status: number
    readonly code: string
    readonly details: Record<string, unknown>

    constructor(status: number, code: string, message: string, details: Record<string, unknown> = {}) {
        super(message)
        this.status = status
        this.code = code
        this.details = details
    }
}

type Query = Record<string, string | number | boolean | undefined>

export interface CallOptions {
    query?: Query
    body?: unknown
    file?: Blob // in place of a body
    signal?: AbortSignal
    keepalive?: boolean // goes on when the page is left or closed
}

// What tells the session's page from any other: to be sent with whatever changes something.
let csrfToken = ''
let whenSignedOut: () => void = () => undefined

export function setCsrfToken(token: string): void {
    csrfToken = token
}

// Called whenever the server says that there is no session any more.
export function onSignedOut(action: () => void): void {
    whenSignedOut = action
}

export function address(path: string, query: Query = {}): string {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return search ? `${path}?${search}` : path
}

// A path with its parts encoded: path`/tasks/${id}/stop`.
export function path(parts: TemplateStringsArray, ...values: string[]): string {
    return parts.reduce((whole, part, i) => whole + encodeURIComponent(values[i - 1] ?? '') + part)
}

export async function errorOf(answer: Response): Promise<ApiError> {
    const text = await answer.text().catch(() => '')
    try {
        const body = JSON.parse(text) as { code?: string; message?: string; details?: Record<string, unknown> }
        const message = body.message ?? `The server answered ${answer.status}.`
        return new ApiError(answer.status, body.code ?? 'unknown', message, body.details)
    } catch {
        return new ApiError(answer.status, 'unknown', `The server answered ${answer.status} ${answer.statusText}.`)
    }
}

async function send(method: string, url: string, { body, file, signal, keepalive }: CallOptions): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (method !== 'GET') headers['X-CSRF-Token'] = csrfToken
    if (file) headers['Content-Type'] = 'application/octet-stream'
    else if (body !== undefined) headers['Content-Type'] = 'application/json'
    try {
        return await fetch(url, {
            method,
            headers,
            body: file ?? (body === undefined ? null : JSON.stringify(body)),
            signal: signal ?? null,
            keepalive: keepalive ?? false,
            credentials: 'same-origin',
            redirect: 'error',
        })
    } catch (error) {
        if (signal?.aborted) throw error
        throw new ApiError(0, 'unreachable', 'The server cannot be reached; is it running, and are you online?')
    }
}

// Another tab may have signed in anew: its session has another token.
async function renewCsrfToken(): Promise<boolean> {
    const answer = await send('GET', '/me', {})
    const token = answer.ok ? ((await answer.json()) as { csrfToken?: string }).csrfToken : undefined
    if (!token || token === csrfToken) return false
    csrfToken = token
    return true
}

export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
    const url = address(path, options.query)
    let answer = await send(method, url, options)
    if (answer.status === 403 && method !== 'GET' && (await renewCsrfToken()))
        answer = await send(method, url, options)
    if (answer.ok) return (await answer.json()) as T
    const error = await errorOf(answer)
    if (error.status === 401 && path !== '/login' && path !== '/me') whenSignedOut()
    throw error
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> =>
    call('GET', path, { ...(query && { query }), ...(signal && { signal }) })
export const post = <T>(path: string, body: unknown = {}): Promise<T> => call('POST', path, { body })

// Who is signed in, and how people sign in here.
import { ApiError, call, get, onSignedOut, post, setCsrfToken } from './client'
import type { Me } from './types'
import { Store } from '../lib/store'

export type Session =
    | { state: 'loading' }
    | { state: 'failed'; error: Error }
    | { state: 'out'; needsSetup: boolean; hasSso: boolean }
    | { state: 'in'; me: Me }

export const session = new Store<Session>({ state: 'loading' })

interface SetupState {
    needed: boolean
}

interface SignInWays {
    sso: boolean
    setupNeeded: boolean
}

// What a server without these routes does not tell is off.
async function ask<T>(path: string): Promise<Partial<T>> {
    try {
        return await get<T>(path)
    } catch (error) {
        if (error instanceof ApiError && error.status >= 400 && error.status < 500) return {}
        throw error
    }
}

async function signedOut(): Promise<Session> {
    const ways = await ask<SignInWays>('/login/options')
    const needsSetup = ways.setupNeeded ?? (await ask<SetupState>('/setup')).needed ?? false
    return { state: 'out', needsSetup, hasSso: ways.sso ?? false }
}

export async function loadSession(): Promise<void> {
    try {
        const me = await get<Me>('/me')
        setCsrfToken(me.csrfToken ?? '')
        session.set({ state: 'in', me })
    } catch (error) {
        if (error instanceof ApiError && error.status === 401)
            session.set(await signedOut().catch((problem: Error): Session => ({ state: 'failed', error: problem })))
        else session.set({ state: 'failed', error: error as Error })
    }
}

export async function signIn(user: string, password: string, code: string): Promise<void> {
    await post('/login', { user, password, ...(code && { code }) })
    await loadSession()
}

export async function setUp(code: string, name: string, password: string): Promise<void> {
    await post('/setup', { code, name, password })
    await loadSession()
}

export async function signOut(): Promise<void> {
    await call('POST', '/logout', { body: {}, keepalive: true })
    await loadSession()
}

export function mayAnywhere(me: Me, permission: string): boolean {
    const { server, everywhere, environments } = me.permissions
    return [server, everywhere, ...environments.map((one) => one.permissions)].some((list) => list.includes(permission))
}

export function mayIn(me: Me, permission: string, environment: string | null | undefined): boolean {
    const { server, everywhere, environments } = me.permissions
    const own = environments.find((one) => one.name === environment)?.permissions ?? []
    return [server, everywhere, own].some((list) => list.includes(permission))
}

export function startSession(): void {
    onSignedOut(() => {
        if (session.value.state === 'in') void loadSession()
    })
    // Another tab may have signed in or out meanwhile.
    document.addEventListener('visibilitychange', () => {
        if (!document.hidden && session.value.state !== 'loading') void loadSession()
    })
    void loadSession()
}

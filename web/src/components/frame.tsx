// What stands around every view: the name, where to go, who is signed in.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { session, signOut } from '../api/session'
import { useAction } from '../lib/action'
import { place } from '../lib/router'
import { useStore } from '../lib/store'
import type { Route } from '../routes'
import { say } from './toast'

function SignOut() {
    const action = useAction(signOut)
    const run = async () => {
        if (!(await action.run())) say('Signing out did not work; try again.', true)
    }
    return (
        <button type="button" class="bare" disabled={action.isBusy} onClick={() => void run()}>
            Sign out
        </button>
    )
}

function Header({ routes }: { routes: readonly Route[] }) {
    const { path } = useStore(place)
    const current = useStore(session)
    return (
        <header class="top">
            <a class="brand" href="/">
                Longshore
            </a>
            {current.state === 'in' && (
                <nav aria-label="Main">
                    {routes
                        .filter((route) => route.inMenu)
                        .map((route) => (
                            <a key={route.path} href={route.path} aria-current={route.path === path ? 'page' : undefined}>
                                {route.inMenu}
                            </a>
                        ))}
                </nav>
            )}
            {current.state === 'in' && (
                <div class="who">
                    <a href="/profile.html" aria-current={path === '/profile.html' ? 'page' : undefined}>
                        {current.me.name}
                    </a>
                    <SignOut />
                </div>
            )}
        </header>
    )
}

interface FrameProps {
    routes: readonly Route[]
    children: ComponentChildren
}

export function Frame({ routes, children }: FrameProps) {
    const { path } = useStore(place)
    const main = useRef<HTMLElement>(null)
    const first = useRef(true)
    // Going to another view without loading: the focus goes along, so that a screen reader begins there.
    useEffect(() => {
        if (!first.current) main.current?.focus({ preventScroll: true })
        first.current = false
    }, [path])
    return (
        <>
            <a class="skip" href="#main">
                Skip to the content
            </a>
            <Header routes={routes} />
            <main id="main" tabIndex={-1} ref={main}>
                {children}
            </main>
        </>
    )
}

// Which view is shown: for whoever is signed in the one of the address, otherwise the way in.
import { loadSession, session } from './api/session'
import { Frame } from './components/frame'
import { Title } from './components/title'
import { Toasts } from './components/toast'
import { Failed, Wait } from './components/wait'
import { place } from './lib/router'
import { useStore } from './lib/store'
import { SetUpPage } from './pages/set-up'
import { SignInPage } from './pages/sign-in'
import { routes } from './routes'

function Missing() {
    return (
        <>
            <Title text="No such page" />
            <p>
                There is nothing at this address. <a href="/">Go to the tasks</a>
            </p>
        </>
    )
}

function View() {
    const current = useStore(session)
    const { path } = useStore(place)
    switch (current.state) {
        case 'loading':
            return null
        case 'failed':
            return <Failed error={current.error} onRetry={() => void loadSession()} />
        case 'out':
            return current.needsSetup ? <SetUpPage /> : <SignInPage hasSso={current.hasSso} />
        case 'in': {
            const Found = routes.find((route) => route.path === path)?.view ?? Missing
            return <Found key={path} />
        }
    }
}

export function App() {
    // The header depends on who is signed in; shown too early, it would push all below it down.
    if (useStore(session).state === 'loading')
        return (
            <main>
                <Wait what="the page" />
            </main>
        )
    return (
        <>
            <Frame routes={routes}>
                <View />
            </Frame>
            <Toasts />
        </>
    )
}

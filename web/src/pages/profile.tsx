// One's own name, password and authenticator.
import { useState } from 'preact/hooks'
import { call, post } from '../api/client'
import { loadSession, session } from '../api/session'
import type { Me } from '../api/types'
import { Authenticator } from '../components/authenticator'
import { Fault, TextField } from '../components/field'
import { Title } from '../components/title'
import { say } from '../components/toast'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { useStore } from '../lib/store'

function Name({ me }: { me: Me }) {
    const [name, setName] = useState(me.name)
    const action = useAction(async () => {
        await call('PATCH', '/me', { body: { name: name.trim() } })
        say('Your name is changed.')
        await loadSession()
    })
    const faults = new Faults(action.error, ['name'])
    return (
        <form
            class="card"
            aria-label="Name"
            onSubmit={(event) => {
                event.preventDefault()
                void action.run()
            }}
        >
            <h2>Name</h2>
            <TextField
                label="Name"
                name="name"
                autocomplete="username"
                required
                value={name}
                onValue={setName}
                error={faults.of('name')}
                hint="You sign in with it."
            />
            <Fault text={faults.other} />
            <button disabled={action.isBusy || name.trim() === me.name}>Change the name</button>
        </form>
    )
}

function Password({ me }: { me: Me }) {
    const [current, setCurrent] = useState('')
    const [password, setPassword] = useState('')
    const [again, setAgain] = useState('')
    const action = useAction(async () => {
        if (password !== again) throw new Error('The two new passwords differ.')
        await post('/me/password', { currentPassword: current, password })
        say('Your password is changed. Your other sessions have ended.')
        for (const clear of [setCurrent, setPassword, setAgain]) clear('')
    })
    const faults = new Faults(action.error, ['currentPassword', 'password'])
    return (
        <form
            class="card"
            aria-label="Password"
            onSubmit={(event) => {
                event.preventDefault()
                void action.run()
            }}
        >
            <h2>Password</h2>
            <input type="text" class="unseen" autocomplete="username" value={me.name} readOnly tabIndex={-1} aria-hidden="true" />
            <TextField
                label="Current password"
                type="password"
                autocomplete="current-password"
                required
                value={current}
                onValue={setCurrent}
                error={faults.of('currentPassword')}
            />
            <TextField
                label="New password"
                type="password"
                autocomplete="new-password"
                required
                value={password}
                onValue={setPassword}
                error={faults.of('password')}
                hint="At least 8 characters."
            />
            <TextField
                label="New password again"
                type="password"
                autocomplete="new-password"
                required
                value={again}
                onValue={setAgain}
            />
            <Fault text={faults.other} />
            <button disabled={action.isBusy}>Change the password</button>
        </form>
    )
}

export function ProfilePage() {
    const current = useStore(session)
    if (current.state !== 'in') return null
    const { me } = current
    return (
        <>
            <Title text="Profile" />
            <Name me={me} />
            {me.hasPassword && <Password me={me} />}
            {me.hasPassword && <Authenticator me={me} />}
        </>
    )
}

// The way in for people who have an account.
import { useState } from 'preact/hooks'
import { address, ApiError } from '../api/client'
import { signIn } from '../api/session'
import { Fault, TextField } from '../components/field'
import { Title } from '../components/title'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { ownAddress } from '../lib/own-address'
import { place } from '../lib/router'
import { useStore } from '../lib/store'

export function SignInPage({ hasSso }: { hasSso: boolean }) {
    const { path, query } = useStore(place)
    const [user, setUser] = useState('')
    const [password, setPassword] = useState('')
    const [code, setCode] = useState('')
    const [wantsCode, setWantsCode] = useState(false)
    const back = ownAddress(query.get('return') ?? (path + (query.size ? `?${query}` : '')))
    const action = useAction(async () => {
        try {
            await signIn(user, password, code)
        } catch (error) {
            if (error instanceof ApiError && error.code === 'totp_required' && !wantsCode) {
                setWantsCode(true)
                return
            }
            throw error
        }
        // Pages that the server makes itself, such as the one that asks for consent.
        if (query.has('return')) location.assign(back)
    })
    const faults = new Faults(action.error, wantsCode ? ['code'] : [])
    return (
        <div class="narrow">
            <Title text="Sign in" />
            <form
                onSubmit={(event) => {
                    event.preventDefault()
                    void action.run()
                }}
            >
                <TextField
                    label="Name"
                    name="username"
                    autocomplete="username"
                    required
                    autofocus
                    value={user}
                    onValue={setUser}
                />
                <TextField
                    label="Password"
                    name="password"
                    type="password"
                    autocomplete="current-password"
                    required
                    value={password}
                    onValue={setPassword}
                />
                {wantsCode && (
                    <TextField
                        label="Code from your authenticator"
                        name="code"
                        autocomplete="one-time-code"
                        inputMode="numeric"
                        required
                        autofocus
                        value={code}
                        onValue={setCode}
                        error={faults.of('code')}
                    />
                )}
                <Fault text={faults.other} />
                <div class="buttons">
                    <button class="primary" disabled={action.isBusy}>
                        Sign in
                    </button>
                    {hasSso && (
                        <a class="button" href={address('/login/oidc', { return: back })}>
                            Sign in with SSO
                        </a>
                    )}
                </div>
            </form>
        </div>
    )
}

// The first run: whoever reads the code that the server printed becomes its administrator.
import { useState } from 'preact/hooks'
import { setUp } from '../api/session'
import { Fault, TextField } from '../components/field'
import { Title } from '../components/title'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { go } from '../lib/router'

export function SetUpPage() {
    const [code, setCode] = useState('')
    const [name, setName] = useState('')
    const [password, setPassword] = useState('')
    const [again, setAgain] = useState('')
    const action = useAction(async () => {
        if (password !== again) throw new Error('The two passwords differ.')
        await setUp(code.trim(), name.trim(), password)
        go('/', { replace: true })
    })
    const faults = new Faults(action.error, ['code', 'name', 'password'])
    return (
        <div class="narrow">
            <Title text="Welcome to Longshore" />
            <p>This server has no user yet. Make the first administrator with the one-time code that it printed when it started.</p>
            <form
                onSubmit={(event) => {
                    event.preventDefault()
                    void action.run()
                }}
            >
                <TextField
                    label="One-time code"
                    name="code"
                    autocomplete="off"
                    required
                    autofocus
                    value={code}
                    onValue={setCode}
                    error={faults.of('code')}
                    hint="In the server's log, and on its terminal."
                />
                <TextField
                    label="Your name"
                    name="username"
                    autocomplete="username"
                    required
                    maxLength={64}
                    value={name}
                    onValue={setName}
                    error={faults.of('name')}
                />
                <TextField
                    label="Password"
                    name="password"
                    type="password"
                    autocomplete="new-password"
                    required
                    value={password}
                    onValue={setPassword}
                    error={faults.of('password')}
                    hint="At least 8 characters."
                />
                <TextField
                    label="Password again"
                    name="again"
                    type="password"
                    autocomplete="new-password"
                    required
                    value={again}
                    onValue={setAgain}
                />
                <Fault text={faults.other} />
                <div class="buttons">
                    <button class="primary" disabled={action.isBusy}>
                        Make the administrator
                    </button>
                </div>
            </form>
        </div>
    )
}

// The authenticator app that goes with one's password.
import { useState } from 'preact/hooks'
import { post } from '../api/client'
import { loadSession } from '../api/session'
import type { Enrolment, Me, RecoveryCodes } from '../api/types'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { CopyButton } from './copy'
import { Confirm } from './dialog'
import { Fault, TextField } from './field'
import { QrCode } from './qr'
import { say } from './toast'

function Codes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
    return (
        <div class="card is-new" role="status">
            <h3>Recovery codes</h3>
            <p>Each lets you in once without the app. Keep them where you keep such things: they are shown this once.</p>
            <pre class="codes">{codes.join('\n')}</pre>
            <div class="buttons">
                <CopyButton text={codes.join('\n')} />
                <button type="button" onClick={onDone}>
                    I have kept them
                </button>
            </div>
        </div>
    )
}

function Enrol({ onCodes, onCancel }: { onCodes: (codes: string[]) => void; onCancel: () => void }) {
    const [password, setPassword] = useState('')
    const [code, setCode] = useState('')
    const [made, setMade] = useState<Enrolment | null>(null)
    const begin = useAction(async () => setMade(await post<Enrolment>('/me/totp', { password })))
    const confirm = useAction(async () => onCodes((await post<RecoveryCodes>('/me/totp/confirm', { code: code.trim() })).recoveryCodes))
    const action = made ? confirm : begin
    const faults = new Faults(action.error, made ? ['code'] : ['password'])
    return (
        <form
            onSubmit={(event) => {
                event.preventDefault()
                void action.run()
            }}
        >
            {made ? (
                <>
                    <p>Take this up with your authenticator app, then type the code that it shows.</p>
                    <QrCode text={made.uri} label="QR code for the authenticator app" />
                    <p>
                        Without a camera: <code data-secret>{made.secret}</code> <CopyButton text={made.secret} />
                    </p>
                    <TextField
                        key="code"
                        label="Code"
                        name="code"
                        autocomplete="one-time-code"
                        inputMode="numeric"
                        required
                        autofocus
                        value={code}
                        onValue={setCode}
                        error={faults.of('code')}
                    />
                </>
            ) : (
                <TextField
                    key="password"
                    label="Your password"
                    name="password"
                    type="password"
                    autocomplete="current-password"
                    required
                    autofocus
                    value={password}
                    onValue={setPassword}
                    error={faults.of('password')}
                />
            )}
            <Fault text={faults.other} />
            <div class="buttons">
                <button class="primary" disabled={action.isBusy}>
                    {made ? 'Confirm' : 'Go on'}
                </button>
                <button type="button" onClick={onCancel}>
                    Cancel
                </button>
            </div>
        </form>
    )
}

interface ProveProps {
    title: string
    verb: string
    isGrave?: boolean
    work: (proof: { password: string }) => Promise<void>
    onClose: () => void
}

// Asks for the password before something of this is changed.
function Prove({ title, verb, isGrave, work, onClose }: ProveProps) {
    const [password, setPassword] = useState('')
    const action = useAction(() => work({ password }))
    const faults = new Faults(action.error, ['password'])
    return (
        <Confirm title={title} verb={verb} isGrave={isGrave ?? false} action={action} fault={faults.other ?? ''} onClose={onClose}>
            <TextField
                label="Your password"
                type="password"
                autocomplete="current-password"
                required
                autofocus
                value={password}
                onValue={setPassword}
                error={faults.of('password')}
            />
        </Confirm>
    )
}

export function Authenticator({ me }: { me: Me }) {
    const [isEnrolling, setEnrolling] = useState(false)
    const [codes, setCodes] = useState<string[] | null>(null)
    const [asked, setAsked] = useState<'renew' | 'remove' | null>(null)
    const taken = (made: string[]) => {
        setCodes(made)
        setEnrolling(false)
        void loadSession()
    }
    const renew = async (proof: { password: string }) =>
        taken((await post<RecoveryCodes>('/me/totp/recovery-codes', proof)).recoveryCodes)
    const remove = async (proof: { password: string }) => {
        await post('/me/totp/remove', proof)
        setCodes(null)
        say('The authenticator is removed.')
        void loadSession()
    }
    return (
        <section class="card" aria-labelledby="authenticator">
            <h2 id="authenticator">Authenticator app</h2>
            {codes && <Codes codes={codes} onDone={() => setCodes(null)} />}
            {me.totpEnrolled ? (
                <>
                    <p>A code of your app goes with your password. {me.recoveryCodesLeft} recovery codes are left.</p>
                    <div class="buttons">
                        <button type="button" onClick={() => setAsked('renew')}>
                            New recovery codes
                        </button>
                        <button type="button" class="grave" onClick={() => setAsked('remove')}>
                            Remove the app
                        </button>
                    </div>
                </>
            ) : isEnrolling ? (
                <Enrol onCodes={taken} onCancel={() => setEnrolling(false)} />
            ) : (
                <>
                    <p>With an authenticator app, nobody gets in by your password alone.</p>
                    <button type="button" onClick={() => setEnrolling(true)}>
                        Set up an app
                    </button>
                </>
            )}
            {asked === 'renew' && (
                <Prove title="Make new recovery codes?" verb="Make them" work={renew} onClose={() => setAsked(null)} />
            )}
            {asked === 'remove' && (
                <Prove title="Remove the app?" verb="Remove" isGrave work={remove} onClose={() => setAsked(null)} />
            )}
        </section>
    )
}

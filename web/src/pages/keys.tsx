// One's own API keys.
import { useState } from 'preact/hooks'
import { call, get, path, post } from '../api/client'
import type { ApiKey, ApiKeys, NewApiKey } from '../api/types'
import { CopyButton } from '../components/copy'
import { Confirm } from '../components/dialog'
import { Fault, SelectField, TextField } from '../components/field'
import { Ago } from '../components/time'
import { Title } from '../components/title'
import { say } from '../components/toast'
import { Failed, Wait } from '../components/wait'
import { session } from '../api/session'
import { useAction } from '../lib/action'
import { Faults } from '../lib/faults'
import { useLoaded } from '../lib/loaded'
import { useStore } from '../lib/store'

const PAGES_MAXIMUM = 20

async function readKeys(user: string, signal: AbortSignal): Promise<ApiKey[]> {
    const keys: ApiKey[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES_MAXIMUM; page++) {
        const found: ApiKeys = await get<ApiKeys>('/api-keys', { user, limit: 100, cursor }, signal)
        keys.push(...found.keys)
        if (!found.nextCursor) break
        cursor = found.nextCursor
    }
    return keys.sort((one, other) => (other.createdAt ?? '').localeCompare(one.createdAt ?? ''))
}

function MakeKey({ onMade }: { onMade: (key: NewApiKey) => void }) {
    const [name, setName] = useState('')
    const [days, setDays] = useState('0')
    const action = useAction(async () => {
        onMade(await post<NewApiKey>('/api-keys', { name, expiresDays: Number(days) }))
        setName('')
    })
    const faults = new Faults(action.error, ['name', 'expiresDays'])
    return (
        <form
            class="card"
            aria-label="New API key"
            onSubmit={(event) => {
                event.preventDefault()
                void action.run()
            }}
        >
            <h2>New key</h2>
            <div class="columns">
                <TextField
                    label="Name"
                    name="name"
                    autocomplete="off"
                    required
                    value={name}
                    onValue={setName}
                    error={faults.of('name')}
                    hint="What it is for, such as the machine that uses it."
                />
                <SelectField
                    label="Ends"
                    value={days}
                    onValue={setDays}
                    error={faults.of('expiresDays')}
                    options={[
                        { value: '0', label: 'never' },
                        { value: '7', label: 'in a week' },
                        { value: '30', label: 'in 30 days' },
                        { value: '90', label: 'in 90 days' },
                        { value: '365', label: 'in a year' },
                    ]}
                />
            </div>
            <Fault text={faults.other} />
            <div class="buttons">
                <button class="primary" disabled={action.isBusy}>
                    Make a key
                </button>
            </div>
        </form>
    )
}

function MadeKey({ made, onDone }: { made: NewApiKey; onDone: () => void }) {
    return (
        <section class="card is-new" aria-label="The new key" role="status">
            <h2>The key “{made.name}”</h2>
            <p>Copy it now: it is shown this once and cannot be had again.</p>
            <p class="secret">
                <code data-secret>{made.key}</code> <CopyButton text={made.key} />
            </p>
            <button type="button" onClick={onDone}>
                I have kept it
            </button>
        </section>
    )
}

function Revoke({ key_, onClose, onDone }: { key_: ApiKey; onClose: () => void; onDone: () => void }) {
    const action = useAction(async () => {
        await call('DELETE', path`/api-keys/${key_.id}`)
        say(`The key “${key_.name}” works no more.`)
        onDone()
    })
    return (
        <Confirm title={`Revoke “${key_.name}”?`} verb="Revoke" isGrave action={action} onClose={onClose}>
            <p>Whoever uses it is refused from now on. This cannot be undone.</p>
        </Confirm>
    )
}

const isOver = (key: ApiKey) => Boolean(key.revokedAt) || Boolean(key.expiresAt && Date.parse(key.expiresAt) < Date.now())

export function KeysPage() {
    const current = useStore(session)
    const me = current.state === 'in' ? current.me.name : null
    const keys = useLoaded(me, (signal) => readKeys(me ?? '', signal))
    const [made, setMade] = useState<NewApiKey | null>(null)
    const [revoking, setRevoking] = useState<ApiKey | null>(null)
    return (
        <>
            <Title text="API keys" />
            <p class="quiet">Programs and MCP clients act for you with a key. Each works until it ends or you revoke it.</p>
            {made ? (
                <MadeKey made={made} onDone={() => setMade(null)} />
            ) : (
                <MakeKey
                    onMade={(key) => {
                        setMade(key)
                        keys.reload()
                    }}
                />
            )}
            {keys.error && <Failed error={keys.error} onRetry={keys.reload} />}
            {!keys.value && !keys.error && <Wait what="the keys" />}
            {keys.value?.length === 0 && <p class="empty">You have no key yet.</p>}
            <ul class="things">
                {keys.value?.map((key) => (
                    <li key={key.id} class={isOver(key) ? 'is-over' : undefined}>
                        <div>
                            <strong>{key.name}</strong> <code>{key.hint}…</code>
                            <p class="facts">
                                <span>
                                    made <Ago at={key.createdAt} />
                                </span>
                                <span>
                                    last used <Ago at={key.lastUsedAt} />
                                </span>
                                {key.revokedAt ? (
                                    <span>
                                        revoked <Ago at={key.revokedAt} />
                                    </span>
                                ) : (
                                    <span>
                                        ends <Ago at={key.expiresAt} />
                                    </span>
                                )}
                            </p>
                        </div>
                        {!key.revokedAt && (
                            <button type="button" class="grave" onClick={() => setRevoking(key)} aria-label={`Revoke ${key.name}`}>
                                Revoke
                            </button>
                        )}
                    </li>
                ))}
            </ul>
            {revoking && <Revoke key_={revoking} onClose={() => setRevoking(null)} onDone={keys.reload} />}
        </>
    )
}

// The MCP clients that one has let in by OAuth.
import { useState } from 'preact/hooks'
import { ApiError, call, get } from '../api/client'
import type { Grant, Grants } from '../api/types'
import { Confirm } from '../components/dialog'
import { Ago } from '../components/time'
import { Title } from '../components/title'
import { say } from '../components/toast'
import { Failed, Wait } from '../components/wait'
import { useAction } from '../lib/action'
import { useLoaded } from '../lib/loaded'

const PAGES_MAXIMUM = 20
const GRANTS = '/api/mcp-oauth/grants'

async function readGrants(signal: AbortSignal): Promise<Grant[]> {
    const grants: Grant[] = []
    let cursor: string | undefined
    for (let page = 0; page < PAGES_MAXIMUM; page++) {
        const found: Grants = await get<Grants>(GRANTS, { limit: 100, cursor }, signal)
        grants.push(...found.grants)
        if (!found.nextCursor) break
        cursor = found.nextCursor
    }
    return grants
}

// The id of some clients is a URL: its slashes stay, since the route takes all that is left of the path.
const addressOf = (grant: Grant) => `${GRANTS}/${grant.clientId.split('/').map(encodeURIComponent).join('/')}`
const nameOf = (grant: Grant) => grant.clientName || grant.clientId

function Revoke({ grant, onClose, onDone }: { grant: Grant | 'all'; onClose: () => void; onDone: () => void }) {
    const action = useAction(async () => {
        await call('DELETE', grant === 'all' ? GRANTS : addressOf(grant))
        say(grant === 'all' ? 'No client is let in any more.' : `“${nameOf(grant)}” is let in no more.`)
        onDone()
    })
    return (
        <Confirm
            title={grant === 'all' ? 'Revoke all clients?' : `Revoke “${nameOf(grant)}”?`}
            verb="Revoke"
            isGrave
            action={action}
            onClose={onClose}
        >
            <p>All its tokens end at once. It can ask you again.</p>
        </Confirm>
    )
}

export function ClientsPage() {
    const grants = useLoaded('all', readGrants)
    const [revoking, setRevoking] = useState<Grant | 'all' | null>(null)
    const isOff = grants.error instanceof ApiError && grants.error.status === 404
    return (
        <>
            <Title text="Authorised clients">
                {grants.value && grants.value.length > 1 && (
                    <button type="button" class="grave" onClick={() => setRevoking('all')}>
                        Revoke all
                    </button>
                )}
            </Title>
            <p class="quiet">Programs that you have let act for you by signing in, instead of with an API key.</p>
            {isOff && <p class="empty">This server lets no client in by OAuth.</p>}
            {grants.error && !isOff && <Failed error={grants.error} onRetry={grants.reload} />}
            {!grants.value && !grants.error && <Wait what="the clients" />}
            {grants.value?.length === 0 && <p class="empty">You have let in none.</p>}
            <ul class="things">
                {grants.value?.map((grant) => (
                    <li key={grant.clientId}>
                        <div>
                            <strong>{nameOf(grant)}</strong> <span class="quiet">at {grant.redirectHost}</span>
                            <p class="facts">
                                <span>may {grant.scope}</span>
                                <span>
                                    let in <Ago at={grant.createdAt} />
                                </span>
                                <span>
                                    last used <Ago at={grant.lastUsedAt} />
                                </span>
                                <span>
                                    ends <Ago at={grant.expiresAt} /> unless it is used
                                </span>
                            </p>
                        </div>
                        <button type="button" class="grave" onClick={() => setRevoking(grant)} aria-label={`Revoke ${nameOf(grant)}`}>
                            Revoke
                        </button>
                    </li>
                ))}
            </ul>
            {revoking && <Revoke grant={revoking} onClose={() => setRevoking(null)} onDone={grants.reload} />}
        </>
    )
}

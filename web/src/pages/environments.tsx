// The environments that one may see; with ?env= one of them.
import { get } from '../api/client'
import type { Environment, Environments } from '../api/types'
import { Title } from '../components/title'
import { Failed, Wait } from '../components/wait'
import { useLoaded } from '../lib/loaded'
import { place } from '../lib/router'
import { useStore } from '../lib/store'

function Facts({ environment }: { environment: Environment }) {
    const name = encodeURIComponent(environment.name)
    return (
        <>
            <p>{environment.description ?? <span class="quiet">Without a description.</span>}</p>
            {environment.status === 'disabled' && <p class="fault">{environment.statusReason ?? 'It is disabled.'}</p>}
            <dl class="facts-list">
                <dt>Repositories</dt>
                <dd>
                    {environment.repositories?.map((one) => (one.branch ? `${one.name} (${one.branch})` : one.name)).join(', ') ||
                        'none'}
                </dd>
                <dt>Agents</dt>
                <dd>
                    {environment.agents?.map((one) => (one === environment.defaultAgent ? `${one} (default)` : one)).join(', ') ||
                        'none'}
                </dd>
            </dl>
            <p class="buttons">
                <a class="button" href={`/?env=${name}`}>
                    Its tasks
                </a>
                {environment.canCreateTasks && environment.status !== 'disabled' && (
                    <a class="button primary" href={`/new-task.html?env=${name}`}>
                        New task
                    </a>
                )}
            </p>
        </>
    )
}

export function EnvironmentsPage() {
    const name = useStore(place).query.get('env')
    const found = useLoaded('all', (signal) => get<Environments>('/environments', { limit: 100 }, signal))
    const all = found.value?.environments
    const shown = name ? all?.filter((one) => one.name === name) : all
    return (
        <>
            <Title text={name ?? 'Environments'}>
                {name && <a href="/environments.html">All environments</a>}
            </Title>
            {found.error && <Failed error={found.error} onRetry={found.reload} />}
            {!found.value && !found.error && <Wait what="the environments" />}
            {shown?.length === 0 && (
                <p class="empty">
                    {name ? 'There is no such environment, or you may not see it.' : 'There is no environment that you may see.'}
                </p>
            )}
            {shown?.map((environment) => (
                <section key={environment.name} class="card">
                    {!name && (
                        <h2>
                            <a href={`/environments.html?env=${encodeURIComponent(environment.name)}`}>{environment.name}</a>
                        </h2>
                    )}
                    <Facts environment={environment} />
                </section>
            ))}
        </>
    )
}

// The official SDK's own OAuth client: sign-in, refresh and rotation, replay, revocation, denial.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

const clients = createRequire(new URL('../clients/package.json', import.meta.url))
const load = async (name) => import(pathToFileURL(clients.resolve(name)))
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js')
const { StreamableHTTPClientTransport } = await load('@modelcontextprotocol/sdk/client/streamableHttp.js')
const { auth, UnauthorizedError } = await load('@modelcontextprotocol/sdk/client/auth.js')

const url = new URL('/mcp', process.env.LONGSHORE_URL)
const callback = 'http://127.0.0.1:33418/callback'
const browser = fileURLToPath(new URL('browser.py', import.meta.url))
let failed = 0

// check SENTENCE, WORK: one result line; the others still run after a failure.
const check = async (sentence, work) => {
        try {
                await work()
                console.log(`ok - ${sentence}`)
        } catch (error) {
                failed++
                console.log(`# ${String(error?.stack ?? error).split('\n').join('\n# ')}`)
                console.log(`not ok - ${sentence}`)
        }
}

// Keeps what a client keeps; the person is the script browser.py.
class Provider {
        constructor(...options) {
                this.options = options
        }
        get redirectUrl() {
                return callback
        }
        get clientMetadata() {
                return { client_name: 'SDK client', redirect_uris: [callback], token_endpoint_auth_method: 'none' }
        }
        state() {
                return (this.sent = Math.random().toString(36).slice(2))
        }
        clientInformation() {
                return this.client
        }
        saveClientInformation(client) {
                this.client = client
        }
        tokens() {
                return this.kept
        }
        saveTokens(tokens) {
                this.kept = tokens
        }
        codeVerifier() {
                return this.verifier
        }
        saveCodeVerifier(verifier) {
                this.verifier = verifier
        }
        async redirectToAuthorization(there) {
                const run = await promisify(execFile)('python3', [browser, there.href, '--stay', ...this.options])
                this.answer = new URL(run.stdout.trim()).searchParams
                assert.equal(this.answer.get('state'), this.sent)
                assert.equal(this.answer.get('iss'), url.origin)
        }
}

const transport = (provider) => new StreamableHTTPClientTransport(url, { authProvider: provider })
const connect = async (provider) => {
        const client = new Client({ name: 'longshore-oauth-test', version: '1.0.0' })
        await client.connect(transport(provider))
        return client
}
const signIn = async (provider) => {
        const first = transport(provider)
        await assert.rejects(new Client({ name: 'x', version: '1' }).connect(first), UnauthorizedError)
        await first.finishAuth(provider.answer.get('code'))
        return provider
}
const status = async (token) => {
        const answer = await fetch(url, {
                method: 'POST',
                headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
                body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
        })
        return answer.status
}
const post = (path, form) => fetch(new URL(path, url), { method: 'POST', body: new URLSearchParams(form) })

const provider = new Provider()
await check('the SDK client signs in through discovery, registration, consent and token exchange', async () => {
        await signIn(provider)
        const client = await connect(provider)
        const { tools } = await client.listTools()
        assert.ok(tools.some((tool) => tool.name === 'create_task'))
        const listed = await client.callTool({ name: 'list_environments', arguments: {} })
        assert.ok(!listed.isError)
        await client.close()
})

await check('it refreshes, and both tokens are new', async () => {
        const before = provider.kept
        assert.equal(await auth(provider, { serverUrl: url }), 'AUTHORIZED')
        assert.notEqual(provider.kept.access_token, before.access_token)
        assert.notEqual(provider.kept.refresh_token, before.refresh_token)
        assert.equal(await status(provider.kept.access_token), 200)
})

await check('two refreshes at once leave it signed in', async () => {
        const form = { grant_type: 'refresh_token', client_id: provider.client.client_id,
                refresh_token: provider.kept.refresh_token }
        const answers = await Promise.all([post('/mcp/oauth/token', form), post('/mcp/oauth/token', form)])
        assert.deepEqual(answers.map((answer) => answer.status), [200, 200])
        const tokens = await Promise.all(answers.map((answer) => answer.json()))
        provider.kept = tokens[Math.floor(Math.random() * 2)]
        assert.equal(await auth(provider, { serverUrl: url }), 'AUTHORIZED')
        assert.equal(await status(provider.kept.access_token), 200)
})

await check('a code that is shown again ends everything that came of it', async () => {
        const victim = await signIn(new Provider())
        assert.equal(await status(victim.kept.access_token), 200)
        const again = await post('/mcp/oauth/token', { grant_type: 'authorization_code', redirect_uri: callback,
                code: victim.answer.get('code'), client_id: victim.client.client_id, code_verifier: victim.verifier })
        assert.equal(again.status, 400)
        assert.equal((await again.json()).error, 'invalid_grant')
        assert.equal(await status(victim.kept.access_token), 401)
})

await check('revoking the refresh token ends the access token', async () => {
        const revoked = await post('/mcp/oauth/revoke', { token: provider.kept.refresh_token,
                client_id: provider.client.client_id })
        assert.equal(revoked.status, 200)
        assert.equal(await status(provider.kept.access_token), 401)
})

await check('a person who denies is respected', async () => {
        const denied = new Provider('--deny')
        await assert.rejects(connect(denied), UnauthorizedError)
        assert.equal(denied.answer.get('error'), 'access_denied')
        assert.equal(denied.answer.get('code'), null)
})

process.exit(failed ? 1 : 0)

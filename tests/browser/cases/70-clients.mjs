import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { api, base, signedIn } from '../harness.mjs'

// What a client sends and gets at the OAuth endpoints.
const send = async (path, body, type) => {
        const answer = await fetch(new URL(path, base), { method: 'POST', headers: { 'Content-Type': type }, body })
        return { status: answer.status, body: await answer.json() }
}

const ping = (token) => api('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }, token)

export async function a_client_that_was_let_in_is_listed_and_revoked() {
        const client = createServer((_, answer) => answer.end('back at the client'))
        await new Promise((resolve) => client.listen(0, '127.0.0.1', resolve))
        const callback = `http://127.0.0.1:${client.address().port}/callback`
        assert.equal((await api('PUT', '/settings/MCP_OAUTH_ENABLED', { value: 'true' })).status, 200)
        const registration = { client_name: 'A browser test <b>', redirect_uris: [callback], token_endpoint_auth_method: 'none' }
        const made = await send('/mcp/oauth/register', JSON.stringify(registration), 'application/json')
        assert.equal(made.status, 201, JSON.stringify(made.body))
        const verifier = randomBytes(32).toString('base64url')
        const asked = new URLSearchParams({
                response_type: 'code', client_id: made.body.client_id, redirect_uri: callback, state: 'x',
                code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256',
        })
        await signedIn(async (page) => {
                await page.goto(`/mcp/oauth/authorize?${asked}`)
                await page.getByText('A browser test <b>').first().waitFor()
                await page.getByRole('button', { name: 'Approve' }).click()
                await page.getByText('back at the client').waitFor()
                const code = new URL(page.url()).searchParams.get('code')
                const form = new URLSearchParams({
                        grant_type: 'authorization_code', code, redirect_uri: callback, client_id: made.body.client_id,
                        code_verifier: verifier,
                })
                const tokens = await send('/mcp/oauth/token', form, 'application/x-www-form-urlencoded')
                assert.equal(tokens.status, 200, JSON.stringify(tokens.body))
                assert.equal((await ping(tokens.body.access_token)).status, 200)

                await page.goto('/clients.html')
                await page.getByText('A browser test <b>', { exact: true }).waitFor()
                await page.getByRole('button', { name: 'Revoke A browser test <b>' }).click()
                await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
                await page.getByText('You have let in none.').waitFor()
                assert.equal((await ping(tokens.body.access_token)).status, 401)
        }, { allowed: [new URL(callback).host] })
        client.closeAllConnections()
        client.close()
}

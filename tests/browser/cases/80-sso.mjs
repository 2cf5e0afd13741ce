import assert from 'node:assert/strict'
import { api, newBrowser } from '../harness.mjs'

const provider = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'longshore' }

export async function single_sign_on_is_offered_when_there_is_a_provider() {
        const mine = await newBrowser()
        const page = await mine.context.newPage()
        await page.goto('/keys.html')
        await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
        assert.equal(await page.getByRole('link', { name: 'Sign in with SSO' }).count(), 0)
        for (const [name, value] of Object.entries(provider))
                assert.equal((await api('PUT', `/settings/${name}`, { value })).status, 200)
        await page.reload()
        const href = await page.getByRole('link', { name: 'Sign in with SSO' }).getAttribute('href')
        assert.equal(href, '/login/oidc?return=%2Fkeys.html')
        for (const name of Object.keys(provider)) await api('DELETE', `/settings/${name}`)
        await mine.end()
}

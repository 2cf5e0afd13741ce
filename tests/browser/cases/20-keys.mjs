import assert from 'node:assert/strict'
import { api, signedIn } from '../harness.mjs'

export async function a_key_is_shown_once_works_and_is_revoked() {
        await signedIn(async (page) => {
                await page.goto('/keys.html')
                const form = page.getByRole('form', { name: 'New API key' })
                await form.getByLabel('Name').fill('x'.repeat(101))
                await form.getByRole('button', { name: 'Make a key' }).click()
                const field = form.locator('.field', { has: page.getByLabel('Name') })
                await field.getByRole('alert').getByText('name must have 1 to 100 characters').waitFor()
                assert.equal(await form.getByLabel('Name').getAttribute('aria-invalid'), 'true')

                await form.getByLabel('Name').fill('a browser test')
                await form.getByRole('button', { name: 'Make a key' }).click()
                const secret = (await page.locator('[data-secret]').textContent()).trim()
                assert.equal((await api('GET', '/me', undefined, secret)).status, 200)
                await page.getByRole('button', { name: 'I have kept it' }).click()
                assert.ok(!(await page.content()).includes(secret))
                await page.reload()
                await page.getByText('a browser test').waitFor()
                assert.ok(!(await page.content()).includes(secret))

                await page.getByRole('button', { name: 'Revoke a browser test' }).click()
                await page.getByRole('dialog').waitFor()
                await page.keyboard.press('Escape')
                await page.getByRole('dialog').waitFor({ state: 'detached' })
                await page.getByRole('button', { name: 'Revoke a browser test' }).click()
                await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
                await page.getByText('works no more').waitFor()
                assert.equal((await api('GET', '/me', undefined, secret)).status, 401)
        })
}

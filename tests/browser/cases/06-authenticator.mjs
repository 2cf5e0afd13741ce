import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { baseURL, password, signIn } from '../fresh.mjs'
import { newBrowser, signOut } from '../harness.mjs'

// The code of a base32 secret at a time (RFC 6238).
function totp(secret, at) {
        const bits = [...secret].map((c) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0')).join('')
        const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)))
        const step = Buffer.alloc(8)
        step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)))
        const hash = createHmac('sha1', key).update(step).digest()
        const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff
        return String(number % 1_000_000).padStart(6, '0')
}

export async function with_an_authenticator_app_a_code_is_asked_for() {
        const mine = await newBrowser({ baseURL })
        const page = await mine.context.newPage()
        await page.goto('/profile.html')
        await signIn(page)
        await page.getByRole('button', { name: 'Set up an app' }).click()
        const section = page.getByRole('region', { name: 'Authenticator app' })
        await section.getByLabel('Your password').fill('wrong password')
        await section.getByRole('button', { name: 'Go on' }).click()
        await section.getByRole('alert').waitFor()
        await section.getByLabel('Your password').fill(password)
        await section.getByRole('button', { name: 'Go on' }).click()
        await section.locator('svg.qr path').waitFor()
        const secret = await section.locator('[data-secret]').textContent()
        await section.getByLabel('Code', { exact: true }).fill(totp(secret, Date.now()))
        await section.getByRole('button', { name: 'Confirm' }).click()
        const codes = (await section.locator('.codes').textContent()).trim().split('\n')
        assert.equal(codes.length, 10)
        await section.getByRole('button', { name: 'I have kept them' }).click()
        await signOut(page)

        await signIn(page)
        await page.getByLabel('Code from your authenticator').fill('000000')
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await page.getByRole('alert').waitFor()
        await page.getByLabel('Code from your authenticator').fill(codes[0])
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Profile' }).waitFor()
        await section.getByText('9 recovery codes are left').waitFor()
        await section.getByRole('button', { name: 'Remove the app' }).click()
        await page.getByRole('dialog').getByLabel('Your password').fill(password)
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
        await section.getByRole('button', { name: 'Set up an app' }).waitFor()
        await mine.end()
}

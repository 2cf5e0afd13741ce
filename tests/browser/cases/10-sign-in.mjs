import assert from 'node:assert/strict'
import { base, newBrowser, password, signIn, user } from '../harness.mjs'

export async function a_wrong_password_is_told_and_the_right_one_leads_to_what_was_asked_for() {
        const mine = await newBrowser()
        const page = await mine.context.newPage()
        await page.goto('/keys.html')
        await page.getByLabel('Name').fill(user)
        await page.getByLabel('Password').fill('not the password')
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor()
        assert.equal(await page.getByLabel('Name').inputValue(), user)
        await page.getByLabel('Password').fill(password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'API keys' }).waitFor()
        await mine.end()
}

export async function the_session_is_out_of_reach_of_scripts_and_ends_with_signing_out() {
        const mine = await newBrowser()
        const page = await mine.context.newPage()
        await signIn(page)
        const [cookie] = await mine.context.cookies()
        assert.equal(cookie.httpOnly, true)
        assert.equal(await page.evaluate(() => document.cookie), '')
        assert.equal(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage })), '{}')
        // Whoever closes the tab at once is signed out nevertheless.
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.close()
        const me = () => fetch(new URL('/me', base), { headers: { Cookie: `${cookie.name}=${cookie.value}` } })
        for (const end = Date.now() + 30_000; (await me()).status !== 401;) assert.ok(Date.now() < end, 'the session goes on')
        await mine.end()
}

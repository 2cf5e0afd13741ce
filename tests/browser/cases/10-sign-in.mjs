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
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        const answer = await fetch(new URL('/me', base), { headers: { Cookie: `${cookie.name}=${cookie.value}` } })
        assert.equal(answer.status, 401)
        await mine.end()
}

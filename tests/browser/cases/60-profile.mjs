import assert from 'node:assert/strict'
import { api, newBrowser } from '../harness.mjs'

const password = 'the first password'

export async function name_and_password_are_changed() {
        assert.equal((await api('POST', '/users', { name: 'Ben', password })).status, 201)
        const mine = await newBrowser()
        const page = await mine.context.newPage()
        await page.goto('/profile.html')
        await page.getByLabel('Name').fill('Ben')
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        const form = page.getByRole('form', { name: 'Password' })
        await form.getByLabel('Current password').fill('wrong password')
        for (const label of ['New password', 'New password again']) await form.getByLabel(label, { exact: true }).fill('a second password')
        await form.getByRole('button').click()
        await form.getByRole('alert').waitFor()
        await form.getByLabel('Current password').fill(password)
        await form.getByRole('button').click()
        await page.getByText('Your password is changed').waitFor()
        await page.getByRole('form', { name: 'Name' }).getByRole('textbox').fill('Benno')
        await page.keyboard.press('Enter')
        await page.getByRole('link', { name: 'Benno', exact: true }).waitFor()
        // Without a permission there is nothing to create a task in.
        await page.goto('/new-task.html')
        await page.getByText('There is no environment in which you may create tasks.').waitFor()
        await mine.end()
}

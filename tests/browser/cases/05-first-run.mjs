import { baseURL, name, password, setupCode } from '../fresh.mjs'
import { newBrowser, signOut } from '../harness.mjs'

export async function the_first_administrator_comes_in_by_the_one_time_code() {
        const mine = await newBrowser({ baseURL })
        const page = await mine.context.newPage()
        await page.goto('/')
        await page.getByRole('heading', { name: 'Welcome to Longshore' }).waitFor()
        const fill = async (code, secret, again) => {
                await page.getByLabel('One-time code').fill(code)
                await page.getByLabel('Your name').fill(name)
                await page.getByLabel('Password', { exact: true }).fill(secret)
                await page.getByLabel('Password again').fill(again)
                await page.getByRole('button', { name: 'Make the administrator' }).click()
        }
        await fill(setupCode, password, 'another')
        await page.getByRole('alert').getByText('The two passwords differ.').waitFor()
        await fill(setupCode, 'short', 'short')
        await page.locator('.field', { has: page.getByLabel('Password', { exact: true }) }).getByRole('alert').waitFor()
        await fill('not the code', password, password)
        await page.getByRole('alert').waitFor()
        await fill(setupCode, password, password)
        await page.getByRole('heading', { name: 'Tasks' }).waitFor()
        await page.reload()
        await page.getByRole('link', { name, exact: true }).waitFor()
        await signOut(page)
        await mine.end()
}

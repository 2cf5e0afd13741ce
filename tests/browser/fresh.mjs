// The server that had no user when it started: its cases follow on one another.
export const baseURL = process.env.LONGSHORE_FRESH_URL
export const setupCode = process.env.LONGSHORE_SETUP_CODE
export const name = 'Ana'
export const password = 'first of all passwords'

export async function signIn(page) {
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
        await page.getByLabel('Name').fill(name)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

import assert from 'node:assert/strict'
import { createTask, environment, newBrowser, signIn, signOut } from '../harness.mjs'

const row = (page, name) => page.locator('.task-row', { has: page.getByRole('link', { name, exact: true }) })

export async function two_tabs_show_the_same_tasks_as_they_change() {
        const mine = await newBrowser()
        const one = await mine.context.newPage()
        await signIn(one)
        const other = await mine.context.newPage()
        await other.goto('/?status=running')
        await other.getByText('Live', { exact: true }).waitFor()
        await one.getByText('Live', { exact: true }).waitFor()
        await createTask('sleep 600', { name: 'In two tabs' })
        await row(one, 'In two tabs').getByText('running').waitFor()
        await row(other, 'In two tabs').waitFor()
        await one.getByRole('link', { name: 'In two tabs' }).click()
        await one.getByRole('button', { name: 'Stop' }).click()
        // It fits the filter of the other tab no longer.
        await row(other, 'In two tabs').waitFor({ state: 'detached' })
        await one.goBack()
        await row(one, 'In two tabs').getByText('interrupted').waitFor()
        await mine.end()
}

export async function a_tab_goes_on_when_another_signed_in_anew() {
        const mine = await newBrowser()
        const one = await mine.context.newPage()
        await signIn(one, '/keys.html')
        const other = await mine.context.newPage()
        await other.goto('/')
        await signOut(other)
        await signIn(other)
        // The first tab holds the token of the session that is over.
        await one.getByLabel('Name').fill('of the first tab')
        await one.getByRole('button', { name: 'Make a key' }).click()
        await one.locator('[data-secret]').waitFor()
        await signOut(other)
        await one.getByRole('button', { name: 'I have kept it' }).click()
        await one.getByLabel('Name').fill('too late')
        await one.getByRole('button', { name: 'Make a key' }).click()
        await one.getByRole('heading', { name: 'Sign in' }).waitFor()
        await mine.end()
}

export async function filters_are_in_the_address_and_older_tasks_come_page_by_page() {
        const mine = await newBrowser()
        const page = await mine.context.newPage()
        await signIn(page)
        const made = []
        for (let i = 0; i < 30; i++) made.push(await createTask('true', { name: `Staged ${i}`, staged: true }))
        await page.getByLabel('Status').selectOption('staged')
        await page.waitForURL(/status=staged/)
        await page.getByLabel('Environment').selectOption(environment)
        await page.waitForURL(/env=/)
        await row(page, 'Staged 29').waitFor()
        await page.reload()
        await row(page, 'Staged 29').waitFor()
        assert.equal(await page.locator('.task-row').count(), 25)
        await page.getByRole('button', { name: 'Show older tasks' }).click()
        await row(page, 'Staged 0').waitFor()
        const ids = await page.locator('.task-row').evaluateAll((rows) => rows.map((one) => one.dataset.task))
        assert.deepEqual(ids.filter((id) => made.includes(id)), made.reverse())
        await page.getByLabel('Created by').selectOption('me')
        await row(page, 'Staged 29').waitFor()
        await mine.end()
}

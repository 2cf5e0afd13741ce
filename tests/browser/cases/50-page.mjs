import assert from 'node:assert/strict'
import { api, createTask, environment, eventually, signedIn } from '../harness.mjs'

const event = (seq, more) => {
        const data = { t: '2026-01-01T00:00:00Z', turn: 1, seq, role: 'assistant', type: 'text', ...more }
        return `id: 1.${seq}\nevent: event\ndata: ${JSON.stringify(data)}\n\n`
}

// A page on the task whose stream is told here instead of by the server.
async function withStream(page, agent, events) {
        const id = await createTask('true')
        const task = { ...(await api('GET', `/tasks/${id}`)).body, agent }
        await page.route(`**/tasks/${id}?*`, (route) => route.fulfill({ json: task }))
        await page.route(`**/tasks/${id}/stream`, (route) =>
                route.request().headers()['last-event-id']
                        ? route.fulfill({ status: 503 })
                        : route.fulfill({ contentType: 'text/event-stream', body: events }))
        await page.goto(`/task.html?id=${id}`)
}

export async function addresses_that_tools_return_lead_to_their_view() {
        await signedIn(async (page) => {
                const made = await api('POST', '/tasks', { environment, instructions: 'true', name: 'By its address' })
                await page.goto(made.body.url.replace(/^.*?:\/\/[^/]+/, ''))
                await page.getByRole('heading', { name: 'By its address' }).waitFor()
                await page.goto('/task.html?groupId=g-none')
                await page.getByText('No task is like that.').waitFor()
                await page.goto(`/environments.html?env=${environment}`)
                await page.getByRole('heading', { name: environment }).waitFor()
                await page.goto('/task.html?id=1-none')
                await page.getByRole('alert').getByText('There is no such task').waitFor()
                const missing = await page.goto('/nothing/here')
                assert.equal(missing.status(), 404)
                await page.getByRole('heading', { name: 'No such page' }).waitFor()
        })
}

export async function what_an_agent_writes_is_never_html() {
        await signedIn(async (page) => {
                const bad = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
                const events = [
                        event(1, { text: `**bold** ${bad}\n\n[link](javascript:document.title=1) [good](https://example.com/)` }),
                        event(2, { type: 'tool_call', tool: bad, toolUseId: 'a', command: bad, text: bad }),
                        event(3, { type: 'tool_result', toolUseId: 'a', text: bad }),
                        event(4, { type: 'error', text: bad }),
                        event(5, { type: 'thinking', text: bad }),
                ]
                await withStream(page, 'claude', events.join(''))
                await page.locator('.entry strong', { hasText: 'bold' }).waitFor()
                for (const summary of await page.locator('.entry summary').all()) await summary.click()
                await page.locator('details[open] pre').first().waitFor()
                assert.equal(await page.locator('.conversation :is(img, script)').count(), 0)
                const links = await page.locator('.conversation a').evaluateAll((all) => all.map((one) => [one.href, one.rel]))
                assert.deepEqual(links, [['https://example.com/', 'noopener noreferrer']])
                assert.notEqual(await page.title(), '1')
        })
}

export async function ten_thousand_events_are_shown_quickly_a_part_at_a_time() {
        await signedIn(async (page) => {
                const all = Array.from({ length: 10_000 }, (_, i) => event(i + 1, { text: `Reply **${i + 1}**` })).join('')
                await withStream(page, 'claude', all)
                await page.getByText('Reply 10000', { exact: true }).waitFor()
                assert.ok((await page.locator('*').count()) < 3000)
                await page.getByText('Reply 10000', { exact: true }).isVisible()
                const place = () => page.getByText('Reply 9801', { exact: true }).evaluate((element) => element.getBoundingClientRect().y)
                await page.getByRole('button', { name: /Show earlier \(9800/ }).scrollIntoViewIfNeeded()
                await eventually('the end not to be followed', () => page.getByRole('button', { name: 'To the end' }).isVisible())
                const before = await place()
                await page.getByRole('button', { name: /Show earlier/ }).click()
                await page.getByText('Reply 9601', { exact: true }).waitFor({ state: 'attached' })
                assert.ok(Math.abs((await place()) - before) < 60, 'what was read has moved')
                await page.getByRole('button', { name: 'To the end' }).click()
                await eventually('the end', () => page.evaluate(() =>
                        document.documentElement.scrollHeight - (scrollY + innerHeight) < 5))
        })
}

const views = ['/', '/new-task.html', '/environments.html', '/keys.html', '/clients.html', '/profile.html']

export async function every_view_fits_a_phone_names_its_controls_and_does_not_jump() {
        for (const colorScheme of ['light', 'dark'])
                await signedIn(async (page) => {
                        const id = await createTask('echo "$(head -c 300 /dev/zero | tr \'\\0\' y)"')
                        for (const path of [...views, `/task.html?id=${id}`, `/task.html?id=${id}&view=files`]) {
                                await page.goto(path)
                                await page.locator('h1').waitFor()
                                await page.waitForLoadState('load')
                                await eventually(`${path} to be loaded`, async () => (await page.locator('.wait').count()) === 0)
                                const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
                                assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`)
                                const nameless = await page.locator('input, select, textarea, button, a').evaluateAll((all) =>
                                        all.filter((one) => !one.closest('[aria-hidden=true]') && !(one.labels?.length ||
                                                one.getAttribute('aria-label') || one.textContent.trim())).map((one) => one.outerHTML))
                                assert.deepEqual(nameless, [], path)
                                const shifted = await page.evaluate(() => globalThis.shifted)
                                assert.ok(shifted < 0.1, `${path} jumped by ${shifted}: ${await page.evaluate(() => globalThis.shifts.join('; '))}`)
                                assert.equal(await page.locator('h1').count(), 1, path)
                        }
                }, { viewport: { width: 360, height: 740 }, colorScheme })
}

export async function everything_is_within_reach_of_the_keyboard() {
        await signedIn(async (page) => {
                await page.goto('/')
                await page.locator('.task-row').first().waitFor()
                await page.keyboard.press('Tab')
                assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the content')
                await page.keyboard.press('Enter')
                assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
                for (let i = 0; i < 5; i++) await page.keyboard.press('Tab')
                await page.keyboard.press('Enter')
                await page.locator('.task h1').waitFor()
                assert.equal(await page.evaluate(() => document.activeElement.id), 'main')
        })
}

export async function a_long_hidden_tab_lets_go_of_its_stream() {
        await signedIn(async (page) => {
                await page.clock.install()
                await page.goto('/')
                await page.getByText('Live', { exact: true }).waitFor()
                const hide = (hidden) => page.evaluate((value) => {
                        Object.defineProperty(document, 'hidden', { value, configurable: true })
                        document.dispatchEvent(new Event('visibilitychange'))
                }, hidden)
                await hide(true)
                await page.clock.runFor(11_000)
                await page.getByText('Paused', { exact: true }).waitFor()
                await createTask('true', { name: 'While it was hidden' })
                await hide(false)
                await page.getByRole('link', { name: 'While it was hidden' }).waitFor()
        })
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { api, cable, createTask, environment, eventually, replies, signedIn, status } from '../harness.mjs'

const lines = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('')
const print = (count) => `for i in $(seq ${count}); do echo line $i; sleep 0.1; done`

// Numbers of the events behind the entries of the first turn, as ranges that must follow on one another.
async function isWithoutGap(page) {
        const ranges = await page.locator('.entry[data-turn="1"]').evaluateAll((entries) =>
                entries.map((entry) => [Number(entry.dataset.first), Number(entry.dataset.last)]))
        let next = 1
        for (const [first, last] of ranges) {
                assert.ok(first === next && last >= first, JSON.stringify(ranges))
                next = last + 1
        }
}

export async function a_task_is_made_in_the_form_and_watched_as_it_streams() {
        await signedIn(async (page) => {
                await page.getByRole('link', { name: 'New task' }).first().click()
                await page.getByLabel('Environment').selectOption(environment)
                await page.getByLabel('Instructions').fill(`${print(15)}; sleep 600`)
                await page.getByLabel('Name').fill('Watched')
                await page.getByRole('button', { name: 'Create the task' }).click()
                await page.getByRole('heading', { name: 'Watched' }).waitFor()
                await eventually('all lines', async () => (await replies(page)) === lines(1, 15))
                await status(page, 'running')
                await isWithoutGap(page)
                await page.getByRole('button', { name: 'Stop' }).click()
                await status(page, 'interrupted')
        })
}

export async function loading_again_in_the_middle_leaves_no_gap_and_nothing_double() {
        await signedIn(async (page) => {
                const id = await createTask(print(30))
                await page.goto(`/task.html?id=${id}`)
                for (const seen of [3, 9]) {
                        await eventually(`line ${seen}`, async () => (await replies(page)).includes(`line ${seen}\n`))
                        await page.reload()
                }
                await status(page, 'completed')
                await eventually('all lines', async () => (await replies(page)) === lines(1, 30))
                await isWithoutGap(page)
        })
}

export async function a_lost_connection_is_taken_up_where_it_broke() {
        const way = await cable()
        await signedIn(async (page) => {
                const id = await createTask(print(30))
                const resumed = []
                page.on('request', (request) => {
                        if (request.url().endsWith('/stream')) resumed.push(request.headers()['last-event-id'] ?? '')
                })
                await page.goto(`/task.html?id=${id}`)
                await eventually('line 3', async () => (await replies(page)).includes('line 3\n'))
                way.cut()
                await page.getByText('Connection lost').waitFor()
                way.mend()
                await status(page, 'completed')
                await eventually('all lines', async () => (await replies(page)) === lines(1, 30))
                await isWithoutGap(page)
                assert.match(resumed.at(-1), /^1\.\d+$/)
        }, { baseURL: way.url })
        way.end()
}

export async function a_follow_up_with_a_file_goes_on_in_the_same_conversation() {
        await signedIn(async (page) => {
                const id = await createTask('echo first')
                await page.goto(`/task.html?id=${id}`)
                await status(page, 'completed')
                await page.locator('.composer input[type=file]').setInputFiles({
                        name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('from the browser\n') })
                await page.getByLabel('Further instructions').fill('cat /task-output/attachments/note.txt')
                await page.keyboard.press('Control+Enter')
                await eventually('the second reply', async () => (await replies(page)) === 'first\nfrom the browser\n')
                await eventually('an empty box', async () => (await page.getByLabel('Further instructions').inputValue()) === '')
                await eventually('both messages', async () => (await page.locator('.entry.is-user').count()) === 2)
                const task = await api('GET', `/tasks/${id}`)
                assert.equal(task.body.followUpCount, 1)
        })
}

export async function a_running_task_is_interrupted_and_stopped() {
        await signedIn(async (page) => {
                for (const verb of ['Interrupt', 'Stop']) {
                        const id = await createTask('echo begun; sleep 600')
                        await page.goto(`/task.html?id=${id}`)
                        await eventually('its output', async () => (await replies(page)) === 'begun\n')
                        await page.getByRole('button', { name: verb }).click()
                        await status(page, 'interrupted')
                        await page.getByRole('button', { name: 'Delete' }).waitFor()
                }
        })
}

export async function files_are_listed_read_and_downloaded() {
        await signedIn(async (page) => {
                const id = await createTask(`mkdir -p "/task-output/a folder"
                        printf '# Title\\n\\n<img src=x onerror=alert(1)>\\n' >/task-output/note.md
                        head -c 200000 /dev/zero | tr '\\0' x >"/task-output/a folder/large #1.txt"
                        printf '\\0\\1\\2' >/task-output/bytes.bin`)
                await page.goto(`/task.html?id=${id}`)
                await status(page, 'completed')
                await page.getByRole('link', { name: 'Files', exact: true }).click()
                await page.getByRole('button', { name: 'note.md', exact: true }).click()
                await page.locator('.file-content h3', { hasText: 'Title' }).waitFor()
                assert.equal(await page.locator('.file-content img').count(), 0)
                await page.getByText('<img src=x onerror=alert(1)>').waitFor()
                await page.getByRole('button', { name: 'bytes.bin', exact: true }).click()
                await page.getByText('It is not text').waitFor()
                await page.getByRole('button', { name: 'a folder/large #1.txt', exact: true }).click()
                const more = page.getByRole('button', { name: /Read on/ })
                for (let i = 0; i < 3; i++) {
                        await more.click()
                        await eventually('the next page', async () =>
                                (await page.locator('.file-content pre').textContent()).length >= Math.min(200000, 64000 * (i + 2)))
                }
                assert.equal((await page.locator('.file-content pre').textContent()).length, 200000)
                const waiting = page.waitForEvent('download')
                await page.getByRole('link', { name: 'Download bytes.bin' }).click()
                assert.deepEqual([...readFileSync(await (await waiting).path())], [0, 1, 2])
        })
}

export async function the_log_is_shown_and_grows() {
        await signedIn(async (page) => {
                const id = await createTask(`${print(20)}; echo the end`)
                await page.goto(`/task.html?id=${id}&view=log`)
                await eventually('the first line', async () => (await page.locator('.log').textContent()).includes('line 1\n'))
                await eventually('the last line', async () => (await page.locator('.log').textContent()).includes('the end\n'))
                assert.equal(await page.locator('.log').textContent(), `${lines(1, 20)}the end\n`)
        })
}

export async function a_failed_task_says_why() {
        await signedIn(async (page) => {
                const id = await createTask('echo nearly; exit 3')
                await page.goto(`/task.html?id=${id}`)
                await status(page, 'failed')
                await page.locator('.fault-box', { hasText: '3' }).waitFor()
        })
}

export async function a_task_is_renamed_shared_and_deleted() {
        await signedIn(async (page) => {
                const id = await createTask('true', { shared: false })
                await page.goto(`/task.html?id=${id}`)
                await status(page, 'completed')
                await page.getByRole('button', { name: 'Rename' }).click()
                await page.getByRole('dialog').getByLabel('Name').fill('Another name')
                await page.keyboard.press('Enter')
                await page.getByRole('heading', { name: 'Another name' }).waitFor()
                await page.getByRole('button', { name: 'Share', exact: true }).click()
                await page.getByRole('button', { name: 'Shared', exact: true }).waitFor()
                assert.equal((await api('GET', `/tasks/${id}`)).body.shared, true)
                await page.getByRole('button', { name: 'Delete' }).click()
                await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
                await page.getByRole('heading', { name: 'Tasks' }).waitFor()
                assert.equal((await api('GET', `/tasks/${id}`)).status, 404)
        })
}

export async function a_refusal_stands_beside_its_field() {
        await signedIn(async (page) => {
                await page.goto('/new-task.html')
                await page.getByLabel('Instructions').fill('true')
                await page.getByLabel('Agent').selectOption('shell')
                await page.getByLabel('Model').fill('no-such-model')
                await page.getByRole('button', { name: 'Create the task' }).click()
                await page.locator('.field', { has: page.getByLabel('Model') }).getByRole('alert').waitFor()
                assert.match(page.url(), /new-task\.html$/)
                assert.equal(await page.getByLabel('Instructions').inputValue(), 'true')
        })
}

// Claude Code is not installed here; the form needs to know only that a task may name it.
export async function models_and_efforts_are_those_of_the_agent() {
        await signedIn(async (page) => {
                await page.route(/\/environments\?/, async (route) => {
                        const response = await route.fetch()
                        const json = await response.json()
                        for (const one of json.environments) one.agents.push('claude')
                        await route.fulfill({ response, json })
                })
                await page.goto('/new-task.html')
                await page.getByLabel('Agent').selectOption('claude')
                await page.getByLabel('Model').selectOption('claude-opus-5-5')
                await page.getByLabel('Reasoning effort').selectOption('max')
                await page.getByLabel('Model').selectOption('claude-sonnet-5')
                await page.getByLabel('Reasoning effort').locator('option[value=max]').waitFor({ state: 'detached' })
                assert.equal(await page.getByLabel('Reasoning effort').inputValue(), '')
        })
}

// Pages in a real Chromium that must not break the page's own rules: no violation of its Content-Security-Policy, no
// uncaught error, no request to another host.
import assert from 'node:assert/strict'
import { connect, createServer } from 'node:net'
import { chromium } from 'playwright-core'

export const base = process.env.LONGSHORE_URL
export const key = process.env.LONGSHORE_API_KEY
export const environment = process.env.LONGSHORE_ENVIRONMENT ?? 'test'
export const user = 'admin'
export const password = process.env.LONGSHORE_PASSWORD
const WAIT_MS = 60_000

let browser

export async function open() {
        browser = await chromium.launch({
                executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
                args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
        })
}

export async function close() {
        await browser?.close()
}

// One person's browser. `faults` fills with whatever breaks the rules; `end` fails when something did.
export async function newBrowser(options = {}) {
        const { allowed = [], ...others } = options
        const baseURL = options.baseURL ?? base
        const context = await browser.newContext({ ...others, baseURL })
        const faults = []
        const hosts = [new URL(baseURL).host, ...allowed]
        context.setDefaultTimeout(WAIT_MS)
        await context.exposeFunction('reportViolation', (text) => faults.push(text))
        await context.addInitScript(() => {
                addEventListener('securitypolicyviolation', (event) =>
                        globalThis.reportViolation(`CSP: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`))
                globalThis.shifted = 0
                globalThis.shifts = []
                new PerformanceObserver((list) => {
                        for (const entry of list.getEntries())
                                if (!entry.hadRecentInput) {
                                        globalThis.shifted += entry.value
                                        globalThis.shifts.push(...entry.sources.map(({ node, previousRect, currentRect }) =>
                                                `${node?.nodeName} ${node?.textContent?.slice(0, 40)} ${previousRect.y} ${currentRect.y}`))
                                }
                }).observe({ type: 'layout-shift', buffered: true })
        })
        context.on('request', (request) => {
                const url = new URL(request.url())
                if (!['blob:', 'data:'].includes(url.protocol) && !hosts.includes(url.host)) faults.push(`a request to ${url.host}`)
        })
        context.on('page', (page) => {
                page.on('pageerror', (error) => faults.push(`uncaught: ${error.stack ?? error}`))
                page.on('console', (message) => {
                        if (/content security policy|trusted ?type/i.test(message.text())) faults.push(message.text())
                })
        })
        return {
                context,
                faults,
                async end() {
                        await context.close()
                        assert.deepEqual(faults, [])
                },
        }
}

export async function signIn(page, path = '/') {
        await page.goto(path)
        await page.getByLabel('Name').fill(user)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

// A sign-out that is not waited for ends with whatever the page does next.
export async function signOut(page) {
        await page.getByRole('button', { name: 'Sign out' }).click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

// Attempts to sign in are limited, so most cases share a session.
let shared

// Runs `work` with a signed-in page of its own.
export async function signedIn(work, options) {
        const mine = await newBrowser({ ...options, storageState: shared })
        const page = await mine.context.newPage()
        if (!shared) {
                await signIn(page)
                shared = await mine.context.storageState()
        } else {
                await page.goto('/')
        }
        await work(page, mine.context)
        await mine.end()
}

// A way to the server that can be cut.
export async function cable() {
        const { hostname, port } = new URL(base)
        const sockets = new Set()
        let isCut = false
        const server = createServer((near) => {
                if (isCut) return near.destroy()
                const far = connect(Number(port), hostname)
                for (const [one, other] of [[near, far], [far, near]]) {
                        sockets.add(one)
                        one.pipe(other)
                        one.on('error', () => other.destroy())
                        one.on('close', () => sockets.delete(one) && other.destroy())
                }
        })
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
        return {
                url: `http://127.0.0.1:${server.address().port}`,
                cut() {
                        isCut = true
                        for (const socket of sockets) socket.destroy()
                },
                mend() {
                        isCut = false
                },
                end: () => server.close(),
        }
}

export async function api(method, path, body, bearer = key) {
        const answer = await fetch(new URL(path, base), {
                method,
                headers: { Authorization: `Bearer ${bearer}`, ...(body && { 'Content-Type': 'application/json' }) },
                body: body && JSON.stringify(body),
        })
        return { status: answer.status, body: await answer.json().catch(() => null) }
}

export async function createTask(instructions, more = {}) {
        const made = await api('POST', '/tasks', { environment, agent: 'shell', instructions, ...more })
        assert.equal(made.status, 200, JSON.stringify(made.body))
        return made.body.taskId
}

export const status = (page, word) => page.locator(`.task .status.is-${word}`).first().waitFor()

// The text that the agent has said, as the page shows it.
export const replies = async (page) => (await page.locator('.entry.is-reply pre').allTextContents()).join('')

export async function eventually(what, condition) {
        const deadline = Date.now() + WAIT_MS
        for (;;) {
                const value = await condition()
                if (value) return value
                if (Date.now() > deadline) assert.fail(`waited in vain for ${what}`)
                await new Promise((resolve) => setTimeout(resolve, 50))
        }
}

// The whole job through the official SDK's client. The client checks every structured result against the tool's
// outputSchema itself, so a result that does not conform ends the call with an error.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const url = new URL('/mcp', process.env.LONGSHORE_URL)
const key = process.env.LONGSHORE_API_KEY
const environment = process.env.LONGSHORE_ENVIRONMENT ?? 'demo'
const wanted = ['create_task', 'follow_up_task', 'get_task', 'get_task_output', 'interrupt_task', 'list_environments',
        'list_tasks', 'read_task_file', 'stop_task']

const connect = async (headers = { Authorization: `Bearer ${key}` }) => {
        const client = new Client({ name: 'longshore-client-test', version: '1.0.0' })
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
        return client
}

let client
let failed = 0

// check SENTENCE, WORK: one result line; the others still run after a failure.
const check = async (sentence, work) => {
        try {
                await work()
                console.log(`ok - ${sentence}`)
        } catch (error) {
                failed++
                console.log(`# ${String(error?.stack ?? error).split('\n').join('\n# ')}`)
                console.log(`not ok - ${sentence}`)
        }
}

const call = async (name, args) => {
        const result = await client.callTool({ name, arguments: args })
        assert.ok(!result.isError, `${name}: ${result.content?.[0]?.text}`)
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, 'the text block says the same')
        return result.structuredContent
}

const refused = async (name, args) => {
        const result = await client.callTool({ name, arguments: args })
        assert.ok(result.isError, `${name} was not refused`)
        assert.equal(result.structuredContent, undefined, 'a refusal has no structured content')
        return result.content[0].text
}

const until = async (taskId, statuses, seconds = 60) => {
        const end = Date.now() + seconds * 1000
        for (;;) {
                const task = await call('get_task', { taskId })
                if (statuses.includes(task.status)) return task
                assert.ok(Date.now() < end, `task ${taskId} is still ${task.status}`)
                await new Promise(resolve => setTimeout(resolve, 150))
        }
}
const ended = ['completed', 'failed', 'interrupted']

let taskId
const requestId = randomUUID()
const creation = {
        environment, requestId, name: 'From the SDK',
        instructions: 'cd /workspace/sample && echo more >> README.md && git diff --stat && ' +
                'echo "A summary" > /task-output/summary.md && echo "Done by the SDK client"'
}

await check('the client initializes and learns who the server is', async () => {
        client = await connect()
        assert.match(client.getServerVersion().name, /longshore/i)
        assert.ok(client.getServerCapabilities().tools)
        await client.ping()
})
if (!client) process.exit(1)

await check('every tool is listed with a title, annotations and both schemas', async () => {
        const { tools } = await client.listTools()
        const names = tools.map(tool => tool.name)
        for (const name of wanted) assert.ok(names.includes(name), `${name} is missing from ${names}`)
        for (const tool of tools) {
                assert.ok(tool.title && tool.description, tool.name)
                assert.equal(tool.inputSchema.type, 'object')
                assert.equal(tool.outputSchema?.type, 'object', `${tool.name} has no outputSchema`)
                assert.equal(typeof tool.annotations?.readOnlyHint, 'boolean', tool.name)
        }
        const again = await client.listTools()
        assert.deepEqual(again.tools, tools, 'the list is the same every time')
})

await check('environments are listed', async () => {
        const { environments } = await call('list_environments', {})
        const found = environments.find(one => one.name === environment)
        assert.equal(found.status, 'active')
        assert.equal(found.defaultAgent, 'shell')
})

await check('a task is created, and the same request again is the same task', async () => {
        const created = await call('create_task', creation)
        taskId = created.taskId
        assert.match(taskId, /^\d{13}-[0-9a-z]{7,9}$/)
        assert.ok(['running', 'queued', 'completed'].includes(created.status), created.status)
        assert.equal((await call('create_task', creation)).taskId, taskId)
        assert.match(await refused('create_task', { ...creation, name: 'Other' }), /idempotency_conflict/)
})

await check('it is polled to its end and its reply read', async () => {
        const task = await until(taskId, ended)
        assert.equal(task.status, 'completed', JSON.stringify(task.failure))
        assert.equal(task.exitCode, 0)
        assert.match(task.latestResponse.content, /Done by the SDK client/)
        assert.match(task.latestResponse.content, /README\.md/)
})

await check('its output and its files are read', async () => {
        const output = await call('get_task_output', { taskId })
        assert.match(output.summary.content, /A summary/)
        assert.ok(output.files.some(file => file.path === 'log.txt'))
        const page = await call('read_task_file', { taskId, path: 'summary.md' })
        assert.equal(page.content, 'A summary\n')
        assert.equal(page.truncated, false)
})

await check('its files are resources, with the bytes that the tool reads', async () => {
        const { resources } = await client.listResources()
        const summary = resources.find(one => one.uri === `longshore://tasks/${taskId}/files/summary.md`)
        assert.equal(summary.mimeType, 'text/markdown')
        assert.equal(summary.size, 10)
        const { contents } = await client.readResource({ uri: summary.uri })
        assert.equal(contents[0].text, 'A summary\n')
        const part = await client.readResource({ uri: `${summary.uri}?offset=2&maxBytes=3` })
        assert.equal(part.contents[0].text, 'sum')
        assert.equal(part.contents[0]._meta.nextOffset, 5)
        const { resourceTemplates } = await client.listResourceTemplates()
        assert.match(resourceTemplates[0].uriTemplate, /^longshore:\/\/tasks\/\{taskId\}\/files\//)
        for (const uri of [summary.uri.replace('summary', 'absent'), summary.uri.replace(taskId, '1700000000000-aaaaaaaaa'),
                `longshore://tasks/${taskId}/files/../../store.db`, 'file:///etc/passwd'])
                await assert.rejects(client.readResource({ uri }), error => error.code === -32002, uri)
})

await check('the handoff prompt names the environment, which is completed', async () => {
        const { prompts } = await client.listPrompts()
        assert.ok(prompts.some(prompt => prompt.name === 'handoff'))
        const { messages } = await client.getPrompt({ name: 'handoff', arguments: { environment } })
        assert.match(messages[0].content.text, new RegExp(`environment: "${environment}"`))
        const { completion } = await client.complete({ ref: { type: 'ref/prompt', name: 'handoff' },
                argument: { name: 'environment', value: environment.slice(0, 2) } })
        assert.ok(completion.values.includes(environment))
        await assert.rejects(client.getPrompt({ name: 'handoff', arguments: { environment: 'no such' } }),
                error => error.code === -32602)
})

await check('it is listed', async () => {
        const { tasks } = await call('list_tasks', { environment, limit: 100 })
        assert.equal(tasks.find(task => task.taskId === taskId).name, 'From the SDK')
})

await check('a follow-up continues it', async () => {
        await call('follow_up_task', { taskId, instructions: 'tail -n 1 /workspace/sample/README.md; echo again' })
        const end = Date.now() + 30000
        let task
        do {
                task = await until(taskId, ended)
                assert.ok(Date.now() < end, 'the follow-up was not taken')
        } while (task.followUpCount !== 1)
        assert.equal(task.latestResponse.content.trim(), 'more\nagain')
})

await check('who asks for it hears how far a stop is', async () => {
        const created = await call('create_task', { environment, instructions: 'sleep 600', requestId: randomUUID() })
        const heard = []
        await until(created.taskId, ['running'])
        const result = await client.callTool({ name: 'stop_task', arguments: { taskId: created.taskId } }, undefined,
                { onprogress: progress => heard.push(progress.progress) })
        assert.equal(result.structuredContent.stopped, true, JSON.stringify(result))
        assert.deepEqual(heard, [1, 2])
})

await check('an interrupt and a stop end a running task', async () => {
        for (const tool of ['interrupt_task', 'stop_task']) {
                const created = await call('create_task', { environment, instructions: 'sleep 600', requestId: randomUUID() })
                await until(created.taskId, ['running'])
                await call(tool, { taskId: created.taskId })
                assert.equal((await until(created.taskId, ended)).status, 'interrupted', tool)
        }
})

await check('wrong arguments are refused with the field named, an unknown task without saying more', async () => {
        assert.match(await refused('get_task', { taskId: 5 }), /^MCP error -32602: Input validation error: .*taskId/s)
        assert.match(await refused('get_task', { taskId: '1700000000000-aaaaaaaaa' }), /task_not_found|not_found/)
        await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), error => error.code === -32602)
})

await check('without a key nothing is answered', async () => {
        await assert.rejects(connect({}))
        await assert.rejects(connect({ Authorization: 'Bearer lsk_wrong' }))
})

await client.close()
process.exit(failed ? 1 : 0)

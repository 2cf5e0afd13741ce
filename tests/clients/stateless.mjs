// The job through the official SDK of the second generation, which speaks 2026-07-28 to a server that does. It holds
// what it gets against the revision's own schemas.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const url = new URL('/mcp', process.env.LONGSHORE_URL)
const environment = process.env.LONGSHORE_ENVIRONMENT ?? 'demo'
let failed = 0

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

const connect = async (mode, headers = {}) => {
        const client = new Client({ name: 'longshore-stateless-test', version: '1.0.0' }, { versionNegotiation: { mode } })
        await client.connect(new StreamableHTTPClientTransport(url, { requestInit: {
                headers: { Authorization: `Bearer ${process.env.LONGSHORE_API_KEY}`, ...headers } } }))
        return client
}

const client = await connect('auto')
let taskId

const call = async (name, args, options) => {
        const result = await client.callTool({ name, arguments: args }, options)
        assert.ok(!result.isError, `${name}: ${result.content?.[0]?.text}`)
        return result.structuredContent
}

const until = async (task, statuses) => {
        for (const end = Date.now() + 60000; Date.now() < end;) {
                const { status } = await call('get_task', { taskId: task })
                if (statuses.includes(status)) return status
                await new Promise(resolve => setTimeout(resolve, 150))
        }
        throw new Error(`task ${task} is not ${statuses}`)
}

await check('a client that may choose chooses the revision without a handshake', async () => {
        assert.equal(client.getProtocolEra(), 'modern')
        const pinned = await connect({ pin: '2026-07-28' })
        assert.equal(pinned.getProtocolEra(), 'modern')
        await pinned.close()
        const older = await connect('legacy')
        assert.equal(older.getProtocolEra(), 'legacy')
        assert.deepEqual((await older.listTools()).tools, (await client.listTools()).tools)
        await older.close()
})

await check('a task is created, and read when it has ended', async () => {
        const created = await call('create_task', { environment, requestId: randomUUID(), name: 'Without a handshake',
                instructions: 'echo "A note" > /task-output/n\u00f6te.md; echo "the lamp is lit"' })
        taskId = created.taskId
        assert.equal(await until(taskId, ['completed', 'failed', 'interrupted']), 'completed')
        const task = await call('get_task', { taskId })
        assert.match(task.latestResponse.content, /the lamp is lit/)
})

await check('a resource whose name no header can hold is read', async () => {
        const { resources } = await client.listResources()
        const note = resources.find(one => one.name === 'n\u00f6te.md')
        assert.equal((await client.readResource({ uri: note.uri })).contents[0].text, 'A note\n')
        await assert.rejects(client.readResource({ uri: `longshore://tasks/${taskId}/files/absent` }),
                error => error.code === -32602)
})

await check('the handoff prompt is there', async () => {
        const { messages } = await client.getPrompt({ name: 'handoff', arguments: { environment } })
        assert.match(messages[0].content.text, /create_task/)
})

await check('a stop tells how far it is on the way', async () => {
        const created = await call('create_task', { environment, instructions: 'sleep 600', requestId: randomUUID() })
        const heard = []
        await until(created.taskId, ['running'])
        const stopped = await call('stop_task', { taskId: created.taskId }, { onprogress: one => heard.push(one.progress) })
        assert.equal(stopped.stopped, true)
        assert.deepEqual(heard, [1, 2])
})

await check('toolsets that were asked for narrow the list and the calls', async () => {
        const narrow = await connect('auto', { 'X-MCP-Toolsets': 'judges' })
        const { tools } = await narrow.listTools()
        assert.ok(!tools.some(tool => tool.name === 'get_task'))
        await assert.rejects(narrow.callTool({ name: 'get_task', arguments: { taskId } }), error => error.code === -32602)
        await narrow.close()
})

await client.close()
process.exit(failed ? 1 : 0)

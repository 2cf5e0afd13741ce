// The OpenAPI document is one, and the whole job over REST answers as it says.
import assert from 'node:assert/strict'
import { Validator } from '@seriousme/openapi-schema-validator'
import Ajv from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const base = process.env.LONGSHORE_URL
const key = process.env.LONGSHORE_API_KEY
const environment = process.env.LONGSHORE_ENVIRONMENT ?? 'demo'
const document = await (await fetch(new URL('/openapi.json', base))).json()
const ajv = addFormats(new Ajv({ strict: false, allErrors: true }))
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

// The described answer of an operation: path with {names}, their values, query, body.
const call = async (method, path, { params = {}, query = {}, body } = {}) => {
        const described = document.paths[path][method.toLowerCase()]
        assert.ok(described, `${method} ${path} is not described`)
        const url = new URL(path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name])), base)
        for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
        const answer = await fetch(url, {
                method,
                headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
                body: body && JSON.stringify(body),
        })
        const text = await answer.text()
        const response = described.responses[answer.status]
        assert.ok(response && answer.ok, `${method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`)
        const result = JSON.parse(text)
        const validate = ajv.compile(response.content['application/json'].schema)
        assert.ok(validate(result), `${method} ${path}: ${ajv.errorsText(validate.errors)}`)
        return result
}

const ended = async (taskId) => {
        for (let i = 0; i < 600; i++) {
                const task = await call('GET', '/tasks/{taskId}', { params: { taskId } })
                if (!['queued', 'running'].includes(task.status)) return task
                await new Promise((resolve) => setTimeout(resolve, 100))
        }
        assert.fail('the task does not end')
}

await check('the document is valid OpenAPI 3.1', async () => {
        const result = await new Validator().validate(structuredClone(document))
        assert.ok(result.valid, JSON.stringify(result.errors)?.slice(0, 2000))
        assert.equal(document.openapi, '3.1.0')
})

let taskId
await check('a task is created, worked on and followed up', async () => {
        const instructions = 'echo hello from rest; echo kept > /task-output/note.txt'
        const made = await call('POST', '/tasks', { body: { environment, instructions, agent: 'shell' } })
        taskId = made.taskId
        const task = await ended(taskId)
        assert.equal(task.status, 'completed')
        assert.match(task.latestResponse.content, /hello from rest/)
        const params = { taskId }
        await call('POST', '/tasks/{taskId}/follow-ups', { params, body: { instructions: 'echo again' } })
        assert.match((await ended(taskId)).latestResponse.content, /again/)
})

await check('its output and files are read', async () => {
        const params = { taskId }
        const { files } = await call('GET', '/tasks/{taskId}/files', { params })
        assert.ok(files.some((file) => file.path === 'note.txt'))
        const file = await call('GET', '/tasks/{taskId}/file', { params, query: { path: 'note.txt' } })
        assert.equal(file.content, 'kept\n')
        const output = await call('GET', '/tasks/{taskId}/output', { params, query: { include: 'responses,files' } })
        assert.ok(!('summary' in output) && output.responses.entries.length > 0)
})

await check('it is renamed, stopped and deleted', async () => {
        const params = { taskId }
        assert.equal((await call('PATCH', '/tasks/{taskId}', { params, body: { name: 'renamed' } })).task.name, 'renamed')
        assert.equal((await call('POST', '/tasks/{taskId}/stop', { params, body: {} })).stopped, true)
        assert.equal((await call('DELETE', '/tasks/{taskId}', { params })).deleted, true)
})

await check('every list that needs no name answers as described', async () => {
        for (const [path, item] of Object.entries(document.paths)) {
                if (!item.get || path.includes('{') || !item.get.responses['200'].content) continue
                if (item.get.parameters?.some((parameter) => parameter.required)) continue
                await call('GET', path)
        }
})

process.exit(failed ? 1 : 0)

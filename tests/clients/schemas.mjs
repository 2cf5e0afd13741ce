// Every schema of the tool list is a JSON Schema (2020-12) to a validator of another's making, and one that clients with
// a smaller idea of JSON Schema take too: an object, without a combinator or a reference at its top. Results conform.
import assert from 'node:assert/strict'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const url = new URL('/mcp?toolsets=all', process.env.LONGSHORE_URL)
const headers = { Authorization: `Bearer ${process.env.LONGSHORE_API_KEY}`, 'Content-Type': 'application/json' }
const ajv = addFormats(new Ajv2020({ strict: true, allErrors: true }))
const refused = ['anyOf', 'oneOf', 'allOf', 'not', 'if', '$ref']
let failed = 0

const ask = async (method, params) => {
        const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
        const { result, error } = await response.json()
        assert.equal(error, undefined, JSON.stringify(error))
        return result
}

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

const { tools } = await ask('tools/list', {})

await check('every schema of a tool is a JSON Schema of 2020-12', () => {
        assert.ok(tools.length >= 11, `${tools.length} tools`)
        for (const tool of tools)
                for (const member of ['inputSchema', 'outputSchema']) {
                        assert.ok(ajv.validateSchema(tool[member]), `${tool.name} ${member}: ${ajv.errorsText()}`)
                        ajv.compile(tool[member])
                }
})

await check('no schema has a combinator or a reference at its top', () => {
        for (const tool of tools)
                for (const member of ['inputSchema', 'outputSchema']) {
                        assert.equal(tool[member].type, 'object', `${tool.name} ${member}`)
                        for (const word of refused) assert.ok(!(word in tool[member]), `${tool.name} ${member} has ${word}`)
                }
})

await check('an input schema refuses what it does not know, and says what each argument is', () => {
        for (const tool of tools) {
                assert.equal(tool.inputSchema.additionalProperties, false, tool.name)
                for (const [name, row] of Object.entries(tool.inputSchema.properties ?? {}))
                        assert.ok(row.description, `${tool.name}.${name}`)
        }
})

await check('the results of the tools that need no argument conform to their schemas', async () => {
        let called = 0
        for (const tool of tools) {
                if (tool.inputSchema.required?.length || !tool.annotations.readOnlyHint) continue
                const { structuredContent } = await ask('tools/call', { name: tool.name, arguments: {} })
                assert.ok(ajv.validate(tool.outputSchema, structuredContent), `${tool.name}: ${ajv.errorsText()}`)
                called++
        }
        assert.ok(called >= 2)
})

process.exit(failed ? 1 : 0)

// Holds src/api/types.ts against an OpenAPI document of the server: node check-api.mjs openapi.json
//
// Each answer's schema becomes a type, and the compiler says whether it is what the page takes it for.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const web = fileURLToPath(new URL('..', import.meta.url))
const { paths } = JSON.parse(readFileSync(process.argv[2], 'utf8'))

// Which answer is read as which type.
const answers = [
    ['get', '/me', 'Me'],
    ['get', '/tasks', 'TaskPage'],
    ['get', '/tasks/{taskId}', 'TaskDetails'],
    ['post', '/tasks', '{ taskId: string }'],
    ['post', '/tasks/{taskId}/follow-ups', '{ task?: Task }'],
    ['patch', '/tasks/{taskId}', '{ task?: Task }'],
    ['put', '/tasks/{taskId}/shared', 'Task'],
    ['get', '/tasks/{taskId}/files', 'OutputFiles'],
    ['get', '/tasks/{taskId}/file', 'FilePage'],
    ['get', '/environments', 'Environments'],
    ['get', '/environments/{environment}/templates', 'Templates'],
    ['get', '/api-keys', 'ApiKeys'],
    ['post', '/api-keys', 'NewApiKey'],
    ['post', '/me/totp', 'Enrolment'],
    ['post', '/me/totp/confirm', 'RecoveryCodes'],
    ['post', '/me/totp/recovery-codes', 'RecoveryCodes'],
    ['get', '/setup', '{ needed: boolean }'],
    ['get', '/api/mcp-oauth/grants', 'Grants'],
]
// What is called without its answer being read.
const calls = [
    ['post', '/login'],
    ['post', '/logout'],
    ['post', '/setup'],
    ['post', '/me/password'],
    ['post', '/me/totp/remove'],
    ['delete', '/api/mcp-oauth/grants'],
    ['delete', '/api/mcp-oauth/grants/{client_id}'],
    ['patch', '/me'],
    ['delete', '/api-keys/{id}'],
    ['delete', '/tasks/{taskId}'],
    ['post', '/tasks/{taskId}/stop'],
    ['post', '/tasks/{taskId}/interrupt'],
    ['post', '/tasks/{taskId}/start'],
    ['get', '/tasks/{id}/stream'],
    ['get', '/events'],
]

function typeOf(schema) {
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
    if (Array.isArray(schema.type))
        return schema.type.map((type) => (type === 'null' ? 'null' : typeOf({ ...schema, type }))).join(' | ')
    switch (schema.type) {
        case 'string':
        case 'boolean':
            return schema.type
        case 'integer':
        case 'number':
            return 'number'
        case 'array':
            return `(${schema.items ? typeOf(schema.items) : 'unknown'})[]`
        case 'object': {
            const members = Object.entries(schema.properties ?? {}).map(
                ([name, value]) => `${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(value)}`,
            )
            return members.length ? `{ ${members.join('; ')} }` : 'Record<string, unknown>'
        }
        default:
            return 'unknown'
    }
}

let faults = 0
const fault = (text) => {
    faults++
    console.log(text)
}
const lines = ["import type * as page from '../../web/src/api/types'"]
for (const [method, path] of calls) if (!paths[path]?.[method]) fault(`${method} ${path} is not there any more`)
for (const [method, path, type] of answers) {
    const responses = paths[path]?.[method]?.responses ?? {}
    const schema = (responses['200'] ?? responses['201'])?.content?.['application/json']?.schema
    if (!schema) {
        fault(`${method} ${path} has no described answer any more`)
        continue
    }
    const wanted = type.replace(/\b[A-Z]\w+/g, (name) => `page.${name}`)
    lines.push(`export const ${method}${path.replace(/\W/g, '_')} = (answer: ${typeOf(schema)}): ${wanted} => answer`)
}

const file = join(web, '../build/web/api-check.ts')
mkdirSync(dirname(file), { recursive: true })
writeFileSync(file, `${lines.join('\n')}\n`)
const program = ts.createProgram([file], { strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2022 })
for (const { messageText } of ts.getPreEmitDiagnostics(program)) fault(ts.flattenDiagnosticMessageText(messageText, '\n'))
process.exit(faults ? 1 : 0)

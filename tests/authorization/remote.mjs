// mcp-remote as a client program runs it: over standard input and output, with a browser of its own.
import { spawn } from 'node:child_process'

const program = new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url).pathname
const child = spawn(process.execPath, [program, `${process.env.LONGSHORE_URL}/mcp`, '13950'], {
        stdio: ['pipe', 'pipe', 'inherit'],
})
const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const end = (code) => {
        child.kill()
        process.exit(code)
}
let buffer = ''
child.stdout.on('data', (bytes) => {
        buffer += bytes
        for (let at; (at = buffer.indexOf('\n')) >= 0; buffer = buffer.slice(at + 1)) {
                const message = JSON.parse(buffer.slice(0, at) || '{}')
                if (message.id === 1) {
                        send({ method: 'notifications/initialized' })
                        send({ id: 2, method: 'tools/list', params: {} })
                }
                if (message.id === 2) {
                        console.log(message.result.tools.map((tool) => tool.name).join(' '))
                        end(0)
                }
        }
})
child.on('exit', () => end(1))
const clientInfo = { name: 'longshore-oauth-test', version: '1.0.0' }
send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } })

// Adds a credential to every request: the conformance program has no option for one. Host and Origin pass as they are,
// so that the server judges those of the client.
//
//   node proxy.mjs SERVER_PORT      LONGSHORE_API_KEY in the environment; prints the port it listens on
import http from 'node:http'

const port = Number(process.argv[2])
const authorization = `Bearer ${process.env.LONGSHORE_API_KEY}`

const proxy = http.createServer((request, response) => {
        const headers = { authorization, ...request.headers }
        const onward = http.request({ host: '127.0.0.1', port, method: request.method, path: request.url, headers }, answer => {
                response.writeHead(answer.statusCode, answer.headers)
                answer.pipe(response)
        })
        onward.on('error', error => {
                if (!response.headersSent) response.writeHead(502)
                response.end(String(error))
        })
        response.on('close', () => onward.destroy())
        request.pipe(onward)
})
proxy.listen(0, '127.0.0.1', () => console.log(proxy.address().port))

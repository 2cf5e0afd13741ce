// A server on the official TypeScript SDK, stateless with JSON answers as its own example is. VARIANT is `idiomatic`
// (McpServer, every tool registered with its schemas for each request) or `lowlevel` (Server with two handlers).
import express from 'express';
import * as z from 'zod/v4';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { authenticate, description, getTask, otherInput, port, toolCount } from './tasks.mjs';

const information = { name: 'peer', version: '1.0.0' };
const schema = z.toJSONSchema(z.object(otherInput()));
const listed = Array.from({ length: toolCount },
        (_, i) => ({ name: i ? `tool_${i}` : 'get_task', description, inputSchema: schema }));

function idiomatic() {
        const server = new McpServer(information);
        server.registerTool('get_task', { description, inputSchema: { taskId: z.string() } }, async (input) => getTask(input));
        for (let i = 1; i < toolCount; i++)
                server.registerTool(`tool_${i}`, { description, inputSchema: otherInput() },
                        async () => ({ content: [{ type: 'text', text: 'ok' }] }));
        return server;
}

function lowlevel() {
        const server = new Server(information, { capabilities: { tools: {} } });
        server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: listed }));
        server.setRequestHandler(CallToolRequestSchema, async (request) => getTask(request.params.arguments));
        return server;
}

const makeServer = process.env.VARIANT === 'lowlevel' ? lowlevel : idiomatic;
const application = express();
application.use(express.json());
application.post('/mcp', async (request, response) => {
        if (authenticate(request.headers.authorization) === undefined) {
                response.status(401).json({ error: 'unauthorized' });
                return;
        }
        const server = makeServer();
        const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
        response.on('close', () => {
                transport.close();
                server.close();
        });
        await server.connect(transport);
        await transport.handleRequest(request, response, request.body);
});
application.listen(port, '127.0.0.1');

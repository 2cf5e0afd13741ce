// A server on fastmcp, stateless with JSON answers.
import { FastMCP } from 'fastmcp';
import * as z from 'zod/v4';
import { authenticate, description, getTask, otherInput, port, toolCount } from './tasks.mjs';

const server = new FastMCP({
        name: 'peer',
        version: '1.0.0',
        authenticate: async (request) => {
                const user = authenticate(request.headers.authorization);
                if (user === undefined)
                        throw new Response(null, { status: 401 });
                return { user };
        },
});
server.addTool({
        name: 'get_task', description, parameters: z.object({ taskId: z.string() }),
        execute: async (input) => getTask(input),
});
for (let i = 1; i < toolCount; i++)
        server.addTool({ name: `tool_${i}`, description, parameters: z.object(otherInput()), execute: async () => 'ok' });
await server.start({
        transportType: 'httpStream',
        httpStream: { port, host: '127.0.0.1', stateless: true, enableJsonResponse: true },
});

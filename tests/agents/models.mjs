// Scripted model servers for the real agent programs: the Messages, Responses and generateContent interfaces on one port
// of loopback, spoken as streams. What the last user message says decides the answer:
//
//   RUN <command>     calls the shell tool, then answers "It said: " and what the tool printed
//   RECALL            answers with every user message of the conversation that begins with REMEMBER
//   CALL <tool> [{}]  calls the tool whose name ends so (an MCP server's) with these arguments, then answers what it said
//   TOOLS             answers with the names of the tools it was offered
//   SYSTEM            answers whether the instructions hold each word that follows
//   FAIL auth | limit | server     refuses as the provider does
//   HANG              never answers
//   anything else     answers "You said: " and the message's first line
//
// Every request is one JSON line of LOG. PORT 0 takes a free port; the first line printed is the port.
import fs from 'fs';
import http from 'http';
import zlib from 'zlib';

const log = process.env.LOG;
const resets = () => Math.floor(Date.now() / 1000) + 3600;
let serial = 0;

const body = (request) => new Promise((resolve) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
        let bytes = Buffer.concat(pieces);
        if (request.headers['content-encoding'] === 'gzip') bytes = zlib.gunzipSync(bytes);
        if (request.headers['content-encoding'] === 'zstd') bytes = zlib.zstdDecompressSync(bytes);
        try { resolve(JSON.parse(bytes.toString())); } catch { resolve(null); }
    });
});

const json = (response, status, value, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
};

const COMMAND = /^(RUN|RECALL|CALL|TOOLS|SYSTEM|FAIL|HANG|REMEMBER)\b[ ]?(.*)$/m;

// What to do, from a conversation brought to one shape: {users: [text...], result: text or null, tools: [name...],
// system: text}.
const decide = ({ users, result, tools, system }) => {
    const spoken = users.filter((text) => COMMAND.test(text));
    const last = spoken[spoken.length - 1] ?? users[users.length - 1] ?? '';
    const [, verb, rest] = COMMAND.exec(last) ?? [null, null, ''];
    if (verb === 'FAIL' || verb === 'HANG') return { verb, rest };
    if (result !== null) return { text: `It said: ${result}` };
    const shell = tools.find((name) => /^(Bash|exec_command|shell|shell_command|local_shell|run_shell_command)$/.test(name));
    if (verb === 'RUN') return shell ? { tool: shell, command: rest } : { text: `no shell among ${tools}` };
    if (verb === 'CALL') {
        const [wanted] = rest.split(' '), given = rest.slice(wanted.length).trim();
        const name = tools.find((one) => one.endsWith(wanted));
        return name ? { tool: name, input: given ? JSON.parse(given) : { word: 'harbour' } } : { text: `no ${wanted} among ${tools}` };
    }
    if (verb === 'TOOLS') return { text: tools.join(' ') };
    // The question itself holds the words too.
    const count = (text, word) => text.split(word).length - 1;
    if (verb === 'SYSTEM')
        return { text: rest.split(' ').map((word) => `${word}=${count(system, word) > count(last, word)}`).join(' ') };
    if (verb === 'RECALL') return { text: `Recalled: ${spoken.slice(0, -1).join(' / ')}` };
    return { text: `You said: ${(verb ? last : last.trim()).split('\n')[0]}` };
};

const texts = (content) => typeof content === 'string' ? [content]
    : (content ?? []).filter((part) => typeof part.text === 'string').map((part) => part.text);

// Anthropic Messages.
const messages = (response, input) => {
    const asAssistant = input.messages.map((message) => message.role).lastIndexOf('assistant');
    const after = input.messages.slice(asAssistant + 1).filter((message) => message.role === 'user');
    const results = after.flatMap((message) => Array.isArray(message.content) ? message.content : [])
        .filter((part) => part.type === 'tool_result');
    const act = decide({
        users: input.messages.filter((message) => message.role === 'user').flatMap((message) => texts(message.content)),
        result: results.length ? results.map((part) => texts(part.content).join('')).join('') : null,
        tools: (input.tools ?? []).map((tool) => tool.name),
        system: JSON.stringify([input.system, input.messages]),
    });
    if (act.verb === 'HANG') return;
    if (act.verb === 'FAIL') {
        const failures = {
            auth: [401, 'authentication_error', 'invalid x-api-key', {}],
            limit: [429, 'rate_limit_error', 'This request would exceed your account\'s rate limit.', {
                'anthropic-ratelimit-unified-status': 'rejected', 'anthropic-ratelimit-unified-reset': String(resets()),
                'anthropic-ratelimit-unified-representative-claim': 'five_hour' }],
            server: [500, 'api_error', 'Internal server error', {}],
        };
        const [status, type, message, headers] = failures[act.rest];
        json(response, status, { type: 'error', error: { type, message } }, { 'x-should-retry': 'false', ...headers });
        return;
    }
    const id = `msg_${++serial}`, usage = { input_tokens: 100, cache_creation_input_tokens: 7, cache_read_input_tokens: 20, output_tokens: 30 };
    const send = (type, value) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': `req_${serial}` });
    send('message_start', { message: { id, type: 'message', role: 'assistant', model: input.model, content: [],
        stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } } });
    if (act.tool) {
        const given = act.input ?? { command: act.command, description: 'As told' };
        send('content_block_start', { index: 0, content_block: { type: 'tool_use', id: `toolu_${serial}`, name: act.tool, input: {} } });
        send('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(given) } });
    } else {
        send('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
        send('content_block_delta', { index: 0, delta: { type: 'text_delta', text: act.text } });
    }
    send('content_block_stop', { index: 0 });
    send('message_delta', { delta: { stop_reason: act.tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 30 } });
    send('message_stop', {});
    response.end();
};

// OpenAI Responses.
const flatten = (tools, namespace) => (tools ?? []).flatMap((tool) =>
    tool.type === 'namespace' ? flatten(tool.tools, tool.name) : [{ name: tool.name ?? tool.type, namespace, text: tool.description ?? '' }]);

const responses = (response, input) => {
    const items = input.input ?? [];
    const isUser = (item) => item.type === 'message' && item.role === 'user';
    const lastSpoken = items.findLastIndex((item) => isUser(item) && texts(item.content).some((text) => COMMAND.test(text)));
    const results = items.slice(lastSpoken + 1).filter((item) => /call_output$/.test(item.type));
    const tools = flatten([...(input.tools ?? []), ...items.filter((item) => item.type === 'additional_tools').flatMap((item) => item.tools)]);
    const exec = tools.find((tool) => tool.name === 'exec');
    // Where the tools are functions of a script, the description names them.
    const inner = exec ? [...exec.text.matchAll(/`(?:declare )?(?:async )?function (\w+)|tools\.(\w+)\(|^#+ `?(\w+)/gm)].map((found) => found[1] ?? found[2] ?? found[3]) : [];
    const act = decide({
        users: items.filter(isUser).flatMap((item) => texts(item.content)),
        result: results.length ? results.map((item) => typeof item.output === 'string' ? item.output : texts(item.output).join('')).join('') : null,
        tools: [...tools.map((tool) => tool.name), ...inner, ...(exec ? ['mcp__echo__repeat_word'] : [])],
        system: JSON.stringify([input.instructions, items]),
    });
    if (act.verb === 'HANG') return;
    if (act.verb === 'FAIL') {
        const failures = {
            auth: [401, { message: 'Incorrect API key provided: dummy.', type: 'invalid_request_error', code: 'invalid_api_key' }],
            limit: [429, { type: 'usage_limit_reached', message: 'The usage limit has been reached', plan_type: 'pro', resets_at: resets() }],
            server: [500, { message: 'The server had an error', type: 'server_error' }],
        };
        json(response, failures[act.rest][0], { error: failures[act.rest][1] });
        return;
    }
    const id = `resp_${++serial}`, tool = tools.find((one) => one.name === act.tool);
    const given = act.input ?? (act.tool === 'exec_command' ? { cmd: act.command } : act.tool === 'shell_command'
        ? { command: act.command } : { command: ['bash', '-c', act.command] });
    const isScript = act.tool && !tool && exec;
    const item = isScript
        ? { type: 'custom_tool_call', id: `ctc_${serial}`, call_id: `call_${serial}`, name: 'exec', status: 'completed',
            ...(exec.namespace ? { namespace: exec.namespace } : {}),
            input: `text(JSON.stringify(await tools.${act.tool}(${JSON.stringify(given)})))` }
        : act.tool
        ? { type: 'function_call', id: `fc_${serial}`, call_id: `call_${serial}`, name: act.tool, status: 'completed',
            arguments: JSON.stringify(given), ...(tool?.namespace ? { namespace: tool.namespace } : {}) }
        : { type: 'message', id: `msg_${serial}`, role: 'assistant', status: 'completed',
            content: [{ type: 'output_text', text: act.text, annotations: [] }] };
    let number = 0;
    const send = (type, value) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: number++, ...value })}\n\n`);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send('response.created', { response: { id, object: 'response', status: 'in_progress', model: input.model, output: [] } });
    send('response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress' } });
    send('response.output_item.done', { output_index: 0, item });
    send('response.completed', { response: { id, object: 'response', status: 'completed', model: input.model, output: [item],
        usage: { input_tokens: 120, input_tokens_details: { cached_tokens: 20 }, output_tokens: 30,
            output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 150 } } });
    response.end();
};

// Gemini generateContent.
const generate = (response, input, isStream) => {
    const parts = (content) => content.parts ?? [];
    const last = input.contents[input.contents.length - 1];
    const results = parts(last).filter((part) => part.functionResponse);
    const isSchema = input.generationConfig?.responseMimeType === 'application/json';
    const act = isSchema ? { text: '{"reasoning":"x","model_choice":"flash","next_speaker":"user"}' } : decide({
        users: input.contents.filter((content) => content.role === 'user').flatMap((content) => texts(parts(content))),
        result: results.length ? results.map((part) => JSON.stringify(part.functionResponse.response)).join('') : null,
        tools: (input.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((one) => one.name)),
        system: JSON.stringify([input.systemInstruction, input.contents]),
    });
    if (act.verb === 'HANG') return;
    if (act.verb === 'FAIL') {
        const failures = {
            auth: { code: 400, status: 'INVALID_ARGUMENT', message: 'API key not valid. Please pass a valid API key.',
                details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' }] },
            limit: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'You exceeded your current quota.',
                details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [
                    { quotaId: 'GenerateRequestsPerDayPerProjectPerModel', quotaMetric: 'requests' }] }] },
            server: { code: 501, status: 'UNIMPLEMENTED', message: 'Not served here' },
        };
        json(response, failures[act.rest].code, { error: failures[act.rest] });
        return;
    }
    const said = act.tool ? { functionCall: { id: `fc${++serial}`, name: act.tool, args: act.input ?? { command: act.command } } }
        : { text: act.text };
    const answer = { candidates: [{ content: { role: 'model', parts: [said] }, finishReason: 'STOP', index: 0 }],
        usageMetadata: { promptTokenCount: 110, cachedContentTokenCount: 10, candidatesTokenCount: 30, totalTokenCount: 140 },
        modelVersion: 'scripted', responseId: `r${serial}` };
    if (!isStream) return json(response, 200, answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(answer)}\n\n`);
};

// An MCP server with one tool, for the configuration that reaches the agents.
const mcp = (request, response, input) => {
    const answer = (result) => json(response, 200, { jsonrpc: '2.0', id: input.id, result });
    if (request.method !== 'POST') return json(response, 405, {}, { allow: 'POST' });
    if (request.headers.authorization !== 'Bearer of-the-test') return json(response, 401, {});
    if (input.id === undefined) { response.writeHead(202); return response.end(); }
    if (input.method === 'initialize')
        return answer({ protocolVersion: input.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'echo', version: '1' } });
    if (input.method === 'tools/list')
        return answer({ tools: [{ name: 'repeat_word', description: 'Repeats a word', inputSchema: { type: 'object', properties: { word: { type: 'string' } } } }] });
    if (input.method === 'tools/call')
        return answer({ content: [{ type: 'text', text: `mcp heard ${input.params.arguments?.word}` }] });
    return json(response, 200, { jsonrpc: '2.0', id: input.id, error: { code: -32601, message: 'Method not found' } });
};

const server = http.createServer(async (request, response) => {
    const input = await body(request);
    if (log) fs.appendFileSync(log, `${JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: input })}\n`);
    const path = request.url.split('?')[0];
    if (request.method !== 'POST' && path !== '/mcp') return json(response, 404, {});
    if (path === '/mcp') return mcp(request, response, input);
    if (path.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 10 });
    if (path.endsWith(':countTokens')) return json(response, 200, { totalTokens: 10 });
    if (path === '/v1/messages') return messages(response, input);
    if (path === '/v1/responses') return responses(response, input);
    if (/:(streamG|g)enerateContent$/.test(path)) return generate(response, input, path.includes(':stream'));
    return json(response, 404, { type: 'error', error: { type: 'not_found_error', message: 'nothing here' } });
});
server.on('upgrade', (request, socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(server.address().port));

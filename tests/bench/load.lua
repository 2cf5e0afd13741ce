-- What wrk sends: CALL is get_task (of completed tasks that the key's owner sees, of COUNT that bench_seed made), long (the one with a long reply) or
-- create_task (staged, each with a request id of its own; SEED keeps those of several runs apart).
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("KEY")
wrk.headers["MCP-Protocol-Version"] = "2025-06-18"

local count = tonumber(os.getenv("COUNT") or "0")
local seed = tonumber(os.getenv("SEED") or "0")
local sent = 0

local calls = {
        get_task = function()
                local index = sent * 7919 % (count / 1000) * 1000 + sent % 3 * 100 + sent % 8 * 10
                return string.format('"get_task","arguments":{"taskId":"%.0f-%09d"}', 1700000000000 + index * 1000, index)
        end,
        long = function()
                return '"get_task","arguments":{"taskId":"1700000000000-longreply"}'
        end,
        create_task = function()
                return string.format('"create_task","arguments":{"environment":"environment-0","staged":true,' ..
                        '"instructions":"make test","requestId":"%08x-0000-4000-8000-%012x"}', seed, sent)
        end,
}
local call = calls[os.getenv("CALL")]

function request()
        sent = sent + 1
        return wrk.format(nil, nil, nil, string.format(
                '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%s}}', sent, call()))
end

function done(summary, latency, requests)
        local errors = summary.errors
        io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
                latency:percentile(50), latency:percentile(99), summary.bytes / math.max(summary.requests, 1),
                errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end

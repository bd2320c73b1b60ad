#!/usr/bin/env bash
# An agent in nothing but curl: makes a session, starts a run, asks whether it may act, waits, acknowledges, completes.
# Needs HOLDPOINT_URL and HOLDPOINT_TOKEN.
set -euo pipefail

call() { # call METHOD PATH [BODY]
  curl --silent --show-error --fail-with-body --request "$1" "$HOLDPOINT_URL$2" \
    --header "Authorization: Bearer $HOLDPOINT_TOKEN" \
    ${3:+--header 'Content-Type: application/json' --data "$3"}
}
field() { # field NAME: the first text of that name in the JSON on standard input
  grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

action='{"kind":"approval","tool_call_id":"call_1","tool_name":"Bash","input":{"command":"rm -rf build"},"reason":"deletes files"}'
session=$(call POST /v1/sessions '{"agent":"external","title":"curl"}' | field session_id)
run=$(call POST "/v1/sessions/$session/runs" '{"input":{"text":"clean up"}}' | field run_id)
ask=$(call POST "/v1/runs/$run/asks" "$action" | field ask_id)

while :; do # each look waits on the server, for as long as it takes a person to answer
  seen=$(call GET "/v1/asks/$ask?wait_ms=30000")
  [[ $seen == *'"status":"pending"'* ]] || break
done

call POST "/v1/asks/$ask/delivered" '{}' >/dev/null
if [[ ${seen##*'"answer":'} == *'"behavior":"allow"'* ]]; then said='allowed, build is gone'; else said='not allowed, build stays'; fi
call POST "/v1/runs/$run/complete" "{\"text\":\"$said\"}" >/dev/null
echo "$said"

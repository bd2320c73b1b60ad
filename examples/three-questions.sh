#!/usr/bin/env bash
# A headless program that asks three things, one after the other, and is gone while a person thinks about each.
# Run it with HOLDPOINT_URL and HOLDPOINT_TOKEN: it starts itself as a dispatch and prints what the last one said.
set -euo pipefail

field() { # field NAME: the first text of that name in the JSON on standard input, still escaped
  grep -oE "\"$1\":\"([^\"\\\\]|\\\\.)*\"" | head -n 1 | sed -E "s/^\"$1\":\"(.*)\"\$/\1/" || true
}

ask() { # ask QUESTION OPTIONS: leaves the question and what was heard so far, and stops
  printf '{"question":"%s","options":%s,"partial_state":{"asked":"%s","heard":"%s"}}' "$1" "$2" "$asked." "$heard" \
    >"$AGORA_NEEDS_INPUT_PATH"
  exit 1 # the exit code does not matter: the file is the signal
}

if [[ -n ${AGORA_INPUT_FILE:-} ]]; then # this is the dispatch
  asked=$(field asked <"$AGORA_INPUT_FILE")
  heard=$(field heard <"$AGORA_INPUT_FILE")
  answer=$(field answer <"$AGORA_INPUT_FILE")
  heard=$heard${heard:+${answer:+, }}$answer
  case $asked in
    '') ask 'What shall it be called?' '[]' ;;
    .) ask 'Which colour shall it have?' '["Red","Blue"]' ;;
    ..) ask 'Shall it be shipped?' '["Yes","No"]' ;;
    *) echo "heard: $heard" ;;
  esac
  exit 0
fi

call() { # call METHOD PATH [BODY]
  curl --silent --show-error --fail-with-body --request "$1" "$HOLDPOINT_URL$2" \
    --header "Authorization: Bearer $HOLDPOINT_TOKEN" \
    ${3:+--header 'Content-Type: application/json' --data "$3"}
}

folder=$(mktemp -d)
trap 'rmdir "$folder"' EXIT # it is empty again: a dispatch leaves nothing behind
script=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
session=$(call POST /v1/sessions "{\"agent\":\"exec\",\"work_folder\":\"$folder\"}" | field session_id)
call POST "/v1/sessions/$session/runs" "{\"input\":{\"command\":[\"bash\",\"$script\"]}}" >/dev/null
# A session is idle also while its next run is queued.
over() { [[ $(field status <<<"$1") == idle && $1 == *'"queued_run_ids":[]'* ]]; }
until seen=$(call GET "/v1/sessions/$session") && over "$seen"; do sleep 0.2; done
field last_message <<<"$seen"

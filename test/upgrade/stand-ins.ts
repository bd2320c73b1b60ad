// Programs that play Claude Code and Codex for a hosted run, found under those names in the PATH of a worker. Shared by
// the recording of a release and by the test that resumes its runs, so that both sides speak of the same calls.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The working directory that the agents report: the same wherever a fixture is restored, because digests contain it. */
export const PROJECT = '/srv/project';
/** Claude Code's own id of its conversation. */
export const CONVERSATION = '6903f262-c0ff-869b-a74d-688697aa1e33';

/** The environment of a worker that finds the stand-ins in `<folder>/bin`, and writes what Codex received to `<folder>`. */
export function standInAgents(folder: string): Record<string, string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['claude', 'codex']) {
    const program = join(import.meta.dirname, '..', 'support', `stand-in-${name}.mjs`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  }
  const PATH = [bin, process.env.PATH].join(delimiter);
  return { PATH, CODEX_FATE: 'completes', CODEX_HEARD: join(folder, 'codex.jsonl'), CODEX_CWD: PROJECT };
}

export const jsonLines = <T>(file: string): T[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

type Step = { say: object } | { hear: string } | { find: string } | { exit: number };

const say = (type: string, more: object): Step => ({ say: { type, ...more } });
export const ready = say('control_response', { response: { request_id: 'initialize' } });
export const begun = say('system', { subtype: 'init', session_id: CONVERSATION, permissionMode: 'default' });
export const planMode = say('system', { subtype: 'status', permissionMode: 'plan' });
export const result = (stop_reason = 'end_turn'): Step =>
  say('result', { subtype: 'success', is_error: false, session_id: CONVERSATION, stop_reason });
export const toolResult = (tool_use_id: string): Step =>
  say('user', { uuid: tool_use_id, message: { content: [{ type: 'tool_result', tool_use_id, content: 'done' }] } });

const COLOURS = {
  questions: [
    {
      question: 'Which colour?',
      header: 'Colour',
      options: [{ label: 'Red' }, { label: 'Blue', description: 'calm' }],
    },
  ],
};

/** A hook call before the tool is used. */
const preToolUse = (tool_use_id: string, tool_name: string, tool_input: object, cwd?: string): Step => {
  const input = { hook_event_name: 'PreToolUse', tool_name, tool_input, tool_use_id, cwd };
  return say('control_request', { request_id: `hook ${tool_use_id}`, request: { subtype: 'hook_callback', input } });
};
export const questionHook = (id: string): Step => preToolUse(id, 'AskUserQuestion', COLOURS);
/** The only call of its message: the process may end on it. */
export const asksQuestion = (id: string): Step[] => {
  const content = [{ type: 'tool_use', id, name: 'AskUserQuestion', input: COLOURS }];
  return [say('assistant', { uuid: `call ${id}`, message: { id: `message ${id}`, content } }), questionHook(id)];
};

/** The same without a hook call: the process waits for the answer. */
export const asksBlocking = (id: string): Step => {
  const request = { subtype: 'can_use_tool', tool_name: 'AskUserQuestion', input: COLOURS, tool_use_id: id };
  return say('control_request', { request_id: `question ${id}`, request });
};

/** A command: first a hook call, `between` the two, then a request for permission. */
export const asksPermission = (id: string, command: string, between: Step[] = []): Step[] => {
  const input = { command };
  const rules = [{ toolName: 'Bash', ruleContent: 'make *' }];
  const permission_suggestions = [{ type: 'addRules', behavior: 'allow', rules, destination: 'session' }];
  const request = { subtype: 'can_use_tool', tool_name: 'Bash', input, tool_use_id: id, permission_suggestions };
  const permission = say('control_request', { request_id: command, request });
  return [preToolUse(id, 'Bash', input, PROJECT), ...between, permission];
};

/** Is given the rule of that suggestion, which the person took, and says that it is in force. */
export const takesRule: Step[] = [
  { hear: 'Bash(make *)' },
  say('control_response', {
    response: {
      request_id: 'rules-1',
      response: { sources: [{ source: 'flagSettings', settings: { permissions: { allow: ['Bash(make *)'] } } }] },
    },
  }),
];

export function writeScript(folder: string, steps: Step[], file: 'script.json' | 'resumed.json'): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(steps));
}

// A message after a run is the same conversation going on: it is held to what that run was held to, and is allowed nothing
// that was allowed for that run alone.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readClaudeInput } from '../../../src/agents/claude/input.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('stand-in-claude.mjs');

const session_id = '6903f262-c0ff-869b-a74d-688697aa1e33';
const begun = [
  { say: { type: 'control_response', response: { request_id: 'initialize' } } },
  { say: { type: 'system', subtype: 'init', session_id } },
];
const over = { say: { type: 'result', subtype: 'success', is_error: false, session_id, stop_reason: 'end_turn' } };
const PLAN = { tool_name: 'ExitPlanMode', input: { plan: 'Paint it.' }, tool_use_id: 'toolu_plan' };
const plans = [
  { say: { type: 'control_request', request_id: 'plan', request: { subtype: 'can_use_tool', ...PLAN } } },
  { hear: '"plan"' },
];

let made = 0;
/** Runs with these inputs, each over before the next; a text alone is posted. Returns how each was started. */
async function started(inputs: (string | Record<string, unknown>)[], first: object[] = []): Promise<string[][]> {
  const folder = join(standIn.root, `w${made++}`);
  mkdirSync(folder);
  writeFileSync(join(folder, 'script.json'), JSON.stringify([...begun, ...first, over]));
  writeFileSync(join(folder, 'resumed.json'), JSON.stringify([...begun, over]));
  const { api } = standIn.bed;
  const session = await api.sessions.create({ agent: 'claude', work_folder: folder });
  for (const input of inputs) {
    const run =
      typeof input === 'string'
        ? await api.sessions.say(session.session_id, { text: input })
        : await api.runs.start(session.session_id, { input: { text: 'go', ...input } });
    if (first.length > 0 && input === inputs[0]) {
      const [ask] = await standIn.bed.pending(session.session_id);
      if (ask) await standIn.bed.decide(ask, { behavior: 'allow' });
    }
    await standIn.bed.over(run.run_id);
  }
  const lines = readFileSync(join(folder, 'started.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as string[]);
}
const modeOf = (argv: string[] | undefined) => argv?.[argv.indexOf('--permission-mode') + 1];
const trusts = (argv: string[] | undefined) => !argv?.includes('--strict-mcp-config');

describe('a message to Claude Code', () => {
  it('goes on as the last run that said how, also behind other messages and runs that never began', async () => {
    const strict = { trust_folder: false, permission_mode: 'plan', model: 'haiku' };
    const [, , second, ...none] = await started([strict, 'one', { 'trust-folder': true }, 'two']);
    expect(none).toEqual([]);
    expect([modeOf(second), trusts(second), second?.includes('haiku')]).toEqual(['plan', false, true]);
  });

  it('is not allowed what a run was, and a run has what it says itself', async () => {
    const [free, posted, , bare] = await started([
      { permission_mode: 'bypassPermissions', trust_folder: false },
      'go on',
      { permission_mode: 'plan', trust_folder: false },
      {},
    ]);
    expect([modeOf(free), modeOf(posted), trusts(posted)]).toEqual(['bypassPermissions', 'default', false]);
    expect([modeOf(bare), trusts(bare)]).toEqual(['default', true]);
  });

  it('is past a plan that was allowed', async () => {
    const [first, posted] = await started([{ permission_mode: 'plan' }, 'now the door'], plans);
    expect([modeOf(first), modeOf(posted)]).toEqual(['plan', 'default']);
  });
});

describe('an input', () => {
  it.each([
    [
      readClaudeInput,
      { trustFolder: false },
      /"trustFolder" is not a setting.*did you mean trust_folder\?.*its settings are text, /,
    ],
    [
      readClaudeInput,
      { 'trust-folder': false, x: 1 },
      /"trust-folder", "x" are not settings of this agent.*trust_folder/,
    ],
    [readClaudeInput, { permission_mode: 'plan', permissionMode: 'default' }, /once/],
  ])('that misspells what it forbids is refused', (read, input, expected) => {
    expect(read({ text: 'go', ...input })).toEqual({ problem: expect.stringMatching(expected) });
  });

  it('names the permission mode of Claude Code as that does, too', () => {
    expect(readClaudeInput({ text: 'go', permissionMode: 'plan' })).toMatchObject({ mode: 'plan' });
    const carried = { text: 'go', permissionMode: 'acceptEdits', hold: 'everything', skills: ['a'] };
    expect(readClaudeInput({ text: 'on' }, carried)).toMatchObject({
      text: 'on',
      mode: 'default',
      hold: 'everything',
      skills: ['a'],
    });
  });
});

// The static settings of Codex, chosen for each run: what each sandbox mode lets happen on disk, when each policy asks,
// what the flags of its command line mean; a session goes on in its own thread, also after it was interrupted; many sessions
// keep their answers apart.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { codex, codexVersion } from './binaries.ts';
import { CodexTestBed, escalated, type Input, readIfThere } from './codex-test-bed.ts';

let c: CodexTestBed;
let outside: string;
beforeAll(async () => {
  if (!codex) return;
  c = await CodexTestBed.open();
  outside = join(c.root, 'outside.txt');
});
afterAll(async () => {
  if (!codex) return;
  expect(c.model.others).toEqual([]);
  await c.close();
});

const DONE = [{ text: 'Done.' }];
const plain = (cmd: string) => ({ call: 'exec_command', id: 'call_M', input: { cmd } });
/** The settings that Codex itself wrote down for the turn. */
async function inForce(run: RunView): Promise<{ approval_policy: string; sandbox_policy: { type: string } }> {
  const { outputs } = await c.over(run);
  const thread = outputs.find(({ type }) => type === 'codex-thread')?.data?.thread_id;
  const records = c.rollout(String(thread)).map((line) => JSON.parse(line));
  return records.findLast(({ type }) => type === 'turn_context').payload;
}

const REFUSED = /Read-only file system|Permission denied/;
const WORKED = /exited with code 0/;

/** Writes into the workspace and outside of it, unasked: what came of it, and what the model was told of each. */
async function writes(key: string, input: Input) {
  const folder = c.folder();
  const target = join(c.root, `${key}.txt`);
  const script = [
    [{ ...plain('echo in > in.txt'), id: 'call_in' }],
    [{ ...plain(`echo out > ${target}`), id: 'call_out' }],
    DONE,
  ];
  const run = await c.start(key, script, input, folder);
  expect(await c.over(run)).toMatchObject({ status: 'completed' });
  expect((await c.bed.api.asks.list({ run_id: run.run_id })).items).toEqual([]);
  const [inside, outside] = [join(folder, 'in.txt'), target].map((file) => readIfThere(file) !== undefined);
  expect(c.model.resultOf(key, 'call_in')).toMatch(inside ? WORKED : REFUSED);
  expect(c.model.resultOf(key, 'call_out')).toMatch(outside ? WORKED : REFUSED);
  return { inside, outside, run };
}

describe.skipIf(!codex)(`sandbox modes of Codex ${codexVersion}`, () => {
  it.each([
    ['read-only', { inside: false, outside: false }],
    ['workspace-write', { inside: true, outside: false }],
    ['danger-full-access', { inside: true, outside: true }],
  ])('%s', async (sandbox, expected) => {
    const { run, ...happened } = await writes(`mode-${sandbox}`, { sandbox, approval_policy: 'never', config: NO_TMP });
    expect(happened).toEqual(expected);
    expect(await inForce(run)).toMatchObject({ approval_policy: 'never', sandbox_policy: { type: sandbox } });
  });

  it('plan: nothing is changed, also where the own configuration would let it', async () => {
    const config = { ...NO_TMP, sandbox_mode: 'danger-full-access' };
    const { run, ...happened } = await writes('mode-plan', { mode: 'plan', ...UNSET, config });
    expect(happened).toEqual({ inside: false, outside: false });
    expect(await inForce(run)).toMatchObject({ sandbox_policy: { type: 'read-only' } });
  });

  it('--full-auto: unasked inside the workspace, asked for more', async () => {
    const folder = c.folder();
    const script = [[plain('touch in.txt')], [escalated(`touch ${outside}`)], DONE];
    const run = await c.start('flag-full-auto', script, { ...UNSET, full_auto: true }, folder);
    const ask = await c.asked(run);
    expect(readIfThere(folder, 'in.txt')).toBe('');
    expect(ask.request).toMatchObject({ input: { command: `touch ${outside}` } });
    await c.bed.decide(ask, { behavior: 'deny', reason: 'stay inside' });
    await c.over(run);
    expect(readIfThere(outside)).toBeUndefined();
    expect(c.model.resultOf('flag-full-auto', 'call_M')).toMatch(WORKED);
    expect(c.model.heard('flag-full-auto').at(-1)).toBe('The person said no: stay inside');
    expect(await inForce(run)).toMatchObject({
      approval_policy: 'on-request',
      sandbox_policy: { type: 'workspace-write' },
    });
  });

  it('--dangerously-bypass-approvals-and-sandbox: everything runs, nobody is asked', async () => {
    const input = { ...UNSET, dangerously_bypass_approvals_and_sandbox: true };
    const { run, ...happened } = await writes('flag-bypass', input);
    expect(happened).toEqual({ inside: true, outside: true });
    expect(await inForce(run)).toMatchObject({
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
    });
  });
});

const UNSET = { sandbox: undefined, approval_policy: undefined };
const NO_TMP = { sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true } };

describe.skipIf(!codex)(`approval policies of Codex ${codexVersion}`, () => {
  /** Nobody is asked for what the model wants to do with more rights, and nothing comes of it. */
  async function refused(key: string, approval_policy: unknown): Promise<string | undefined> {
    const folder = c.folder();
    const run = await c.start(
      key,
      [[{ ...escalated('touch n.txt'), id: 'call_N' }], DONE],
      { approval_policy },
      folder,
    );
    expect(await c.over(run)).toMatchObject({ status: 'completed' });
    expect((await c.bed.api.asks.list({ run_id: run.run_id })).items).toEqual([]);
    expect(readIfThere(folder, 'n.txt')).toBeUndefined();
    return c.model.resultOf(key, 'call_N');
  }

  it('never: what the model asks for is refused, nobody is asked', async () => {
    expect(await refused('policy-never', 'never')).toContain('approval policy is Never');
  });

  it('on-request: what the sandbox lets happen is not asked, what the model asks for is', async () => {
    const folder = c.folder();
    const script = [[plain('touch r.txt')], [{ ...escalated('touch s.txt'), id: 'call_S' }], DONE];
    const run = await c.start('policy-on-request', script, { approval_policy: 'on-request' }, folder);
    const ask = await c.asked(run);
    expect(ask.request).toMatchObject({ input: { command: 'touch s.txt' } });
    expect([readIfThere(folder, 'r.txt'), readIfThere(folder, 's.txt')]).toEqual(['', undefined]);
    await c.bed.decide(ask, { behavior: 'allow' });
    await c.over(run);
    expect(readIfThere(folder, 's.txt')).toBe('');
    expect(c.model.resultOf('policy-on-request', 'call_S')).toMatch(WORKED);
  });

  it('untrusted: every command is asked for, also a harmless one and without a sandbox', async () => {
    const folder = c.folder({ 'known.txt': 'known' });
    const input = { approval_policy: 'untrusted', sandbox: 'danger-full-access' };
    const script = [[{ ...plain('cat known.txt'), id: 'call_C' }], [plain('touch u.txt')], DONE];
    const run = await c.start('policy-untrusted', script, input, folder);
    const first = await c.asked(run);
    expect(first.request).toMatchObject({ input: { command: 'cat known.txt' } });
    await c.bed.decide(first, { behavior: 'deny', reason: 'you know it' });
    const ask = await c.asked(run);
    expect(ask.request).toMatchObject({ input: { command: 'touch u.txt' } });
    expect(readIfThere(folder, 'u.txt')).toBeUndefined();
    await c.bed.decide(ask, { behavior: 'allow' });
    await c.over(run);
    expect(readIfThere(folder, 'u.txt')).toBe('');
    expect(c.model.resultOf('policy-untrusted', 'call_C')).toContain('rejected by user');
    expect(c.model.resultOf('policy-untrusted', 'call_M')).toMatch(WORKED);
  });

  it('granular: only what it names is asked', async () => {
    const rest = { rules: true, skill_approval: true, request_permissions: true, mcp_elicitations: true };
    expect(await refused('policy-granular', { granular: { sandbox_approval: false, ...rest } })).toMatch(/reject/i);
    const asking = { granular: { sandbox_approval: true, ...rest } };
    const script = [[{ ...escalated('touch g.txt'), id: 'call_G' }], DONE];
    const run = await c.start('policy-granular-asks', script, { approval_policy: asking });
    await c.bed.decide(await c.asked(run), { behavior: 'allow' });
    await c.over(run);
    expect(c.model.resultOf('policy-granular-asks', 'call_G')).toMatch(WORKED);
  });
});

describe.skipIf(!codex)(`sessions of Codex ${codexVersion}`, () => {
  it('go on in the same thread, with their own settings', async () => {
    const folder = c.folder();
    const first = await c.start(
      'session-goes-on',
      [[{ text: 'Noted.' }], [plain('touch again.txt')], DONE],
      {},
      folder,
    );
    await c.over(first);
    const input = { text: 'Do this next.', sandbox: 'read-only', approval_policy: 'never' };
    const second = await c.bed.api.runs.start(first.session_id, { input });
    expect(await c.over(second)).toMatchObject({ status: 'completed' });
    expect(c.model.heard('session-goes-on')).toEqual(['Do this: session-goes-on', 'Do this next.']);
    expect(readIfThere(folder, 'again.txt')).toBeUndefined();
  });

  it('hold a message to what the run before it was held to, and leave it nothing that was allowed', async () => {
    const strict = { sandbox: 'danger-full-access', approval_policy: 'untrusted', model: 'gpt-5.5' };
    const first = await c.start('session-posts', [[{ text: 'Noted.' }], DONE, DONE, DONE, DONE], strict);
    await c.over(first);
    const held = { approval_policy: 'untrusted', model: 'gpt-5.5', sandbox_policy: { type: 'read-only' } };
    for (const text of ['Go on.', 'And on.']) {
      const next = await c.bed.api.sessions.say(first.session_id, { text });
      expect(await c.over(next)).toMatchObject({ status: 'completed' });
      expect(await inForce(next)).toMatchObject(held);
    }
    expect(c.model.heard('session-posts').slice(1)).toEqual(['Go on.', 'And on.']);
    const input = { text: 'Anything.', dangerously_bypass_approvals_and_sandbox: true };
    await c.over(await c.bed.api.runs.start(first.session_id, { input }));
    const last = await c.bed.api.sessions.say(first.session_id, { text: 'More.' });
    expect(await inForce(last)).toMatchObject({ approval_policy: 'on-request', sandbox_policy: { type: 'read-only' } });
  });

  it('go on with the configuration of the run before a message, until a run names another', async () => {
    const own = { model_reasoning_effort: 'high', web_search: 'disabled' };
    const first = await c.start('session-config', [[{ text: 'Noted.' }], DONE, DONE, DONE, DONE], { config: own });
    await c.over(first);
    await c.over(await c.bed.api.sessions.say(first.session_id, { text: 'Go on.' }));
    const other = { text: 'Otherwise.', config: { model_reasoning_effort: 'low' } };
    await c.over(await c.bed.api.runs.start(first.session_id, { input: other }));
    await c.over(await c.bed.api.sessions.say(first.session_id, { text: 'And on.' }));
    await c.over(await c.bed.api.runs.start(first.session_id, { input: { text: 'As ever.' } }));
    const had = c.model.told('session-config').map(({ reasoning, tools = [] }) => ({
      effort: reasoning?.effort,
      searches: tools.some(({ type }) => type === 'web_search'),
    }));
    const high = { effort: 'high', searches: false };
    const low = { effort: 'low', searches: true };
    const unnamed = { effort: undefined, searches: true };
    expect(had).toEqual([high, high, low, low, unnamed]);
  });

  it('leave nothing of what one run was let do to the next', async () => {
    const target = join(c.root, 'after-bypass.txt');
    const script = [[{ text: 'Planned.' }], [plain(`touch ${target}`)], DONE, DONE];
    const all = { ...UNSET, dangerously_bypass_approvals_and_sandbox: true, mode: 'plan', model: 'gpt-5.5' };
    const first = await c.start('session-bypass', script, all);
    expect(await inForce(first)).toMatchObject({
      approval_policy: 'never',
      sandbox_policy: { type: 'danger-full-access' },
      model: 'gpt-5.5',
      collaboration_mode: { mode: 'plan' },
    });
    const own = { approval_policy: 'on-request', model: 'fake-model', collaboration_mode: { mode: 'default' } };
    const bare = await c.bed.api.runs.start(first.session_id, { input: { text: 'More.' } });
    expect(await inForce(bare)).toMatchObject({ ...own, sandbox_policy: { type: 'read-only' } });
    expect(readIfThere(target)).toBeUndefined();
    expect(c.model.resultOf('session-bypass', 'call_M')).toMatch(REFUSED);
    const input = { text: 'Still more.', sandbox: 'workspace-write' };
    const named = await c.bed.api.runs.start(first.session_id, { input });
    expect(await inForce(named)).toMatchObject({ ...own, sandbox_policy: { type: 'workspace-write' } });
  });

  it('ask a person, also where the own configuration gives that to a model', async () => {
    const config = { approvals_reviewer: 'auto_review' };
    const ask = { ...escalated('touch v.txt'), id: 'call_V' };
    const first = await c.start('session-reviewed', [[ask], DONE, [ask], DONE], { config });
    await c.bed.decide(await c.asked(first), { behavior: 'deny' });
    await c.over(first);
    const input = { text: 'Again.', approval_policy: 'on-request', config };
    const second = await c.bed.api.runs.start(first.session_id, { input });
    await c.bed.decide(await c.asked(second), { behavior: 'deny' });
    expect(await c.over(second)).toMatchObject({ status: 'completed' });
  });

  it('are interrupted with an ask open: nothing runs, and the next run goes on in the same thread', async () => {
    const folder = c.folder();
    const script = [[{ ...escalated('touch k.txt'), id: 'call_K' }], [{ text: 'Noted.' }]];
    const run = await c.start('session-interrupted', script, {}, folder);
    const ask = await c.asked(run);
    await c.bed.api.sessions.interrupt(run.session_id);
    expect(await c.over(run)).toMatchObject({ status: 'interrupted' });
    expect(await c.bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'cancelled', answer: { behavior: 'deny' } });
    await expect(c.bed.decide(ask, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    await c.gone(run);
    const next = await c.bed.api.runs.start(run.session_id, { input: { text: 'Leave it.' } });
    expect(await c.over(next)).toMatchObject({ status: 'completed' });
    expect(readIfThere(folder, 'k.txt')).toBeUndefined();
    expect(c.model.resultOf('session-interrupted', 'call_K')).toContain('aborted');
    expect(c.model.heard('session-interrupted')).toEqual(['Do this: session-interrupted', 'Leave it.']);
  });

  it('twenty at once keep their answers apart', { timeout: 120_000 }, async () => {
    const names = Array.from({ length: 20 }, (_, i) => `apart-${String(i).padStart(2, '0')}-`);
    const folders = names.map(() => c.folder());
    const runs = await Promise.all(
      names.map((name, i) => c.start(name, [[escalated(`echo ${name} > mine.txt`)], DONE], {}, folders[i])),
    );
    await Promise.all(
      runs.map(async (run, i) => {
        const ask = await c.asked(run);
        await c.bed.decide(ask, i % 2 ? { behavior: 'deny', reason: `no, ${names[i]}` } : { behavior: 'allow' });
      }),
    );
    await Promise.all(runs.map((run) => c.over(run)));
    expect(folders.map((folder) => readIfThere(folder, 'mine.txt'))).toEqual(
      names.map((name, i) => (i % 2 ? undefined : `${name}\n`)),
    );
    expect(names.map((name) => c.model.heard(name).at(-1))).toEqual(
      names.map((name, i) => (i % 2 ? `The person said no: no, ${name}` : `Do this: ${name}`)),
    );
    await Promise.all(runs.map((run) => c.gone(run)));
  });
});

describe.skipIf(!codex)(`trouble with Codex ${codexVersion}`, () => {
  it.each<[string, Input, RegExp]>([
    ['an unknown setting', { sandbox_mode: 'read-only' }, /not well formed[\s\S]*sandbox_mode/],
    ['an unknown mode', { sandbox: 'everything' }, /not well formed[\s\S]*sandbox/],
    ['two ways to say it', { full_auto: true }, /full_auto, or/],
    ['nothing to do', { text: ' ' }, /not well formed[\s\S]*text/],
  ])('%s is said before anything is started', async (_name, input, error) => {
    const run = await c.over(await c.start('trouble-input', [], input));
    expect(run.status).toBe('failed');
    expect(run.error).toMatch(error);
    expect(run.outputs).toEqual([]);
  });

  it('a model that cannot be reached fails the run with its words', async () => {
    const run = await c.over(await c.start('trouble-model', []));
    expect(run).toMatchObject({ status: 'failed', outcome: 'provider-failed' });
    expect(run.error).toMatch(/no step|404/);
    c.model.others.splice(0);
  });

  it('a machine without Codex is told what to install', async () => {
    const path = process.env.PATH;
    process.env.PATH = '/usr/bin:/bin';
    try {
      const run = await c.over(await c.start('trouble-missing', []));
      expect(run.error).toContain('npm install -g @openai/codex');
    } finally {
      process.env.PATH = path;
    }
  });
});

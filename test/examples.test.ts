// Runs every example against a real server, with this test as the person who answers. An example that is not run here fails
// the first test.
// Covers: src/client/deferring.ts
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, createClient } from '../src/client/client.ts';
import { canonical } from '../src/core/digest.ts';
import type { AskView } from '../src/core/views.ts';
import { signLog } from '../src/gateway/checkpoint.ts';
import { eventJson } from '../src/gateway/views.ts';
import { openGateway } from './support/gateway.ts';
import { endEverything, type Holdpoint, root, startHoldpoint, temporaryFolder } from './support/process.ts';

// Real processes on a machine that others use too.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let server: Holdpoint;
let person: Client;
beforeAll(async () => {
  server = await startHoldpoint();
  person = createClient({ url: server.url, token: server.token });
});
afterAll(endEverything);

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});

function run(file: string, ...args: string[]) {
  const path = join(root, 'examples', file);
  const command = file.endsWith('.sh') ? ['bash', path] : [process.execPath, path];
  const child = spawn(command[0] as string, [...command.slice(1), ...args], {
    env: { PATH: process.env.PATH, HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, printed })),
  );
  return { child, ended };
}

async function pending(count: number): Promise<AskView[]> {
  for (;;) {
    const { items } = await person.asks.list({ status: 'pending' });
    if (items.length === count) return items;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const choose = (ask: AskView, option: string) =>
  person.questions.answerRun(ask.run_id, {
    resolution: { request_id: ask.ask_id, answers: [{ question_id: 'question-1', selected_option_ids: [option] }] },
  });
const decide = (ask: AskView, behavior: 'allow' | 'deny', reason?: string) =>
  person.approvals.decideRun(ask.run_id, { resolutions: [{ request_id: ask.ask_id, behavior, reason }] });
const commandOf = (ask: AskView) => ('input' in ask.request ? String(ask.request.input.command) : '');

it('runs every file in examples/', () => {
  const files = readdirSync(join(root, 'examples')).filter((file) => /\.(ts|sh|mjs)$/.test(file));
  expect(files.sort()).toEqual([
    'agent.sh',
    'approvals.ts',
    'ask.ts',
    'own-loop.ts',
    'resume.ts',
    'three-questions.sh',
    'verify-audit.mjs',
  ]);
});

describe('verify-audit.mjs', () => {
  let log: string[];
  beforeAll(async () => {
    const open = await openGateway();
    for (const id of ['a', 'b']) {
      await open.gateway.createSession({ session_id: id, agent: 'external', title: 'Größe "x"' });
      await signLog(open.ports);
    }
    log = (await open.store.read((r) => r.events({}, 0, 100))).map(eventJson);
    await open.close();
  });
  const folder = temporaryFolder();
  const verified = async (lines: string[], ...args: string[]) => {
    writeFileSync(join(folder, 'log.jsonl'), lines.join('\n'));
    return run('verify-audit.mjs', join(folder, 'log.jsonl'), ...args).ended;
  };
  const ofA = '"session_id":"a","type"';

  it('has at most 150 lines and imports nothing but Node', () => {
    const text = readFileSync(join(root, 'examples', 'verify-audit.mjs'), 'utf8');
    expect(text.split('\n').length).toBeLessThanOrEqual(150);
    expect([...text.matchAll(/from '([^']*)'/g)].every(([, from]) => from?.startsWith('node:'))).toBe(true);
  });

  it('accepts what the server exported, with its key and its witness', async () => {
    const checkpoints = log.map((line) => JSON.parse(line)).filter(({ type }) => type === 'audit.checkpoint');
    const witness = join(folder, 'witness.jsonl');
    writeFileSync(witness, checkpoints.map(({ data }) => `${canonical(data)}\n`).join(''));
    const { code, printed } = await verified(log, '--key', checkpoints[0].data.key, '--witness', witness);
    expect([printed, code]).toEqual([
      expect.stringMatching(/^✓ \d+ events in 3 sessions; signed through event \d+, 0 since\n$/),
      0,
    ]);
    const cut = await verified(log.slice(0, -1), '--witness', witness);
    expect([cut.printed, cut.code]).toEqual([expect.stringContaining('✗ line 2 of'), 10]);
  });

  it.each([
    ['an altered event', (lines: string[]) => lines.map((line) => line.replace('Größe', 'Grösse')), 'was altered'],
    ['a missing session', (lines: string[]) => lines.filter((line) => !line.includes(ofA)), 'which is missing'],
    ['another order', swapped, 'in another order'],
    ['a missing checkpoint', (lines: string[]) => lines.filter((_, i) => i !== firstCheckpoint(lines)), 'follows'],
    [
      'a key given twice',
      inFirst('"data":{', '"data":{"agent":"forged",'),
      'line 1 is not an event of Holdpoint: a key',
    ],
    [
      'a line that was cut',
      (lines: string[]) => [lines[0]?.slice(0, -2) ?? '', ...lines.slice(1)],
      'line 1 is not an event',
    ],
    ['a number as text', inFirst('"seq":1,', '"seq":"1",'), 'is out of order'],
  ])('reports %s', async (_, change, fault) => {
    const { code, printed } = await verified(change(log));
    expect([printed, code]).toEqual([expect.stringContaining(fault), 10]);
  });

  it('follows rotated keys from the first one, and reports tampering before and after a rotation', async () => {
    const open = await openGateway();
    const first = open.ports.sealer.publicKey;
    for (const title of ['Größe before', 'Größe between', 'Größe after']) {
      await open.gateway.createSession({ session_id: title, agent: 'external', title });
      await open.gateway.rotateAuditKey();
    }
    const rotated = (await open.store.read((r) => r.events({}, 0, 100))).map(eventJson);
    await open.close();
    expect(await verified(rotated, '--key', first)).toMatchObject({ code: 0 });
    for (const title of ['Größe before', 'Größe between', 'Größe after']) {
      const changed = rotated.map((line) => line.replace(`"title":"${title}"`, '"title":"x"'));
      expect(await verified(changed)).toEqual({ code: 10, printed: expect.stringContaining('was altered') });
    }
    const forged = rotated.map((line) =>
      line.replace(`"previous_key":"${first}"`, `"previous_key":"${'A'.repeat(43)}"`),
    );
    expect((await verified(forged)).printed).toContain('is not signed by the key before it');
    const last = JSON.parse(rotated.at(-1) ?? '').data.key;
    expect((await verified(rotated, '--key', last)).printed).toContain(`is signed by another key: ${first}`);
  });

  it('reports another key than the one that is given', async () => {
    expect((await verified(log, '--key', 'A'.repeat(43))).printed).toContain('is signed by another key');
  });

  function inFirst(from: string, to: string) {
    return ([line = '', ...others]: string[]): string[] => [line.replace(from, to), ...others];
  }

  /** The first event of session a changes places with the one before it, which is of another session. */
  function swapped(lines: string[]): string[] {
    const events = lines.map((line) => JSON.parse(line));
    const at = events.findIndex(({ session_id }) => session_id === 'a');
    [events[at - 1].seq, events[at].seq] = [events[at].seq, events[at - 1].seq];
    return events.map((event) => JSON.stringify(event));
  }
  function firstCheckpoint(lines: string[]): number {
    return lines.findIndex((line) => line.includes('audit.checkpoint'));
  }
});

it('prints the answer to a question (ask.ts)', async () => {
  const { ended } = run('ask.ts');
  await choose((await pending(1))[0] as AskView, 'option-2');
  expect(await ended).toEqual({ code: 0, printed: 'You said: Local\n' });
});

it('fails with an explanation when the question is declined (ask.ts)', async () => {
  const { ended } = run('ask.ts');
  const [ask] = await pending(1);
  await person.questions.answerRun(ask?.run_id ?? '', {
    resolution: { request_id: ask?.ask_id ?? '', declined: true },
  });
  const { code, printed } = await ended;
  expect(code).toBe(1);
  expect(printed).toContain('no answer: declined');
});

it('decides three concurrent approvals separately (approvals.ts)', async () => {
  const { ended } = run('approvals.ts');
  for (const ask of await pending(3)) {
    if (commandOf(ask).startsWith('rm')) await decide(ask, 'deny', 'keep them');
    else await decide(ask, 'allow');
  }
  const { code, printed } = await ended;
  expect(code).toBe(0);
  expect(printed.split('\n').sort()).toEqual(
    ['', '2 of 3 ran', 'not rm -rf node_modules: keep them', 'ran npm ci', 'ran npm run build'].sort(),
  );
});

it('finds the answer again after it was killed and started again (resume.ts)', async () => {
  const first = run('resume.ts', 'v2.0.0');
  const [ask] = await pending(1);
  first.child.kill('SIGKILL');
  expect((await first.ended).code).toBeNull();
  const second = run('resume.ts', 'v2.0.0');
  await choose(ask as AskView, 'option-1');
  expect(await second.ended).toEqual({ code: 0, printed: 'v2.0.0: Ship it\n' });
  expect(await run('resume.ts', 'v2.0.0').ended).toEqual({ code: 0, printed: 'v2.0.0: Ship it\n' });
  const { items } = await person.events.ofSession((ask as AskView).session_id, { limit: 500 });
  expect(items.filter((e) => e.type === 'ask.delivered')).toHaveLength(1);
});

it('displays a form, stops, and continues with the next message (own-loop.ts)', async () => {
  const { ended } = run('own-loop.ts');
  const [form] = await pending(1);
  expect(form).toMatchObject({ mode: 'form', tool_call_id: 'toolu_1' });
  const { session_id } = form as AskView;
  await expect(person.sessions.say(session_id, { text: 'are you there?' })).rejects.toMatchObject({
    code: 'pending_interactive_form',
  });
  const interactive_form_answer = {
    type: 'interactive_form_question',
    tool_use_id: 'toolu_1',
    answers: { colour: 'blue' },
    status: 'answered' as const,
  };
  await person.sessions.say(session_id, { interactive_form_answer });
  const { code, printed } = await ended;
  expect(printed).toBe('tool done: interactive_form_question\nstopped: tool_deferred\nI paint it blue.\n');
  expect(code).toBe(0);
});

const hasCurl = spawnSync('curl', ['--version']).status === 0 && spawnSync('bash', ['--version']).status === 0;

it.skipIf(!hasCurl).each([
  ['allow', 'allowed, build is gone\n'],
  ['deny', 'not allowed, build stays\n'],
] as const)('agent.sh: %s (needs bash and curl)', async (behavior, printed) => {
  const { ended } = run('agent.sh');
  const [ask] = await pending(1);
  await decide(ask as AskView, behavior);
  expect(await ended).toEqual({ code: 0, printed });
  expect((await person.asks.get((ask as AskView).ask_id)).delivery.state).toBe('delivered');
});

it.skipIf(!hasCurl)(
  'asks three questions over restarts and has all answers at the end (three-questions.sh, needs bash and curl)',
  async () => {
    const { ended } = run('three-questions.sh');
    const answer = async (said: { selected_option_ids?: string[]; freeform_answer?: string }) => {
      const [ask] = await pending(1);
      const answers = [{ question_id: 'question-1', ...said }];
      await person.questions.answerRun(ask?.run_id ?? '', { resolution: { request_id: ask?.ask_id ?? '', answers } });
      return ask as AskView;
    };
    const first = await answer({ freeform_answer: 'Lead the first' });
    await answer({ selected_option_ids: ['option-2'] });
    await answer({ selected_option_ids: ['option-1'] });
    expect(await ended).toEqual({ code: 0, printed: 'heard: Lead the first, Blue, Yes\n' });
    const runs = (await person.runs.list({ session_id: first.session_id })).items;
    expect(runs.map((r) => r.outcome)).toEqual(['needs_input', 'needs_input', 'needs_input', undefined]);
  },
);

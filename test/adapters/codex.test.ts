// Codex's translation, against what the real Codex said: each transcript was recorded from a run of the pinned binary.
// A person decides as then; whatever Holdpoint says to Codex must be what it said then, to the letter.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codex } from '../../src/agents/codex.ts';
import type { AskView, RunView } from '../../src/core/views.ts';
import { openServer, type Server } from '../support/server.ts';
import { Stage } from '../worker/stage.ts';

const transcripts = join(import.meta.dirname, '..', 'transcripts', 'codex');
const root = mkdtempSync(join(tmpdir(), 'holdpoint-replay-'));
let server: Server;
let stage: Stage;
beforeAll(async () => {
  const replay = join(import.meta.dirname, '..', 'support', 'replay-agent.mjs');
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin', 'codex'), `#!/bin/sh\nexec "${process.execPath}" "${replay}" "$@"\n`, {
    mode: 0o755,
  });
  process.env.PATH = [join(root, 'bin'), process.env.PATH].join(delimiter);
  server = await openServer();
  stage = new Stage(await server.url(), server.token);
  await stage.worker({ agents: [codex] });
});
afterAll(async () => {
  await stage.close();
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

async function start(name: string, input: object): Promise<RunView> {
  process.env.TRANSCRIPT = join(transcripts, `${name}.jsonl`);
  const folder = join(root, name);
  mkdirSync(folder);
  const session = await stage.api.sessions.create({ agent: 'codex', work_folder: folder });
  const text = `Do this: ${name}`;
  return stage.api.runs.start(session.session_id, { input: { text, ...SETTINGS, ...input } });
}

/** The next ask, or the run when it has ended. */
const next = (run: RunView) =>
  stage.until(async () => {
    const { items } = await stage.api.asks.list({ run_id: run.run_id, status: 'pending' });
    if (items[0]) return { ask: items[0] };
    const now = await stage.api.runs.get(run.run_id);
    return now.finished_at_ms === undefined ? undefined : { run: now };
  });

type Decide = (ask: AskView) => Promise<unknown>;
interface Case {
  input?: object;
  /** One for each ask, in order: what is shown, and what the person does. */
  asks: [shown: object, decide: Decide][];
  ends?: object;
}

const SETTINGS = { sandbox: 'workspace-write', approval_policy: 'on-request' };
const allow: Decide = (ask) => stage.decide(ask, { behavior: 'allow' });
const allowFor =
  (...suggestion_ids: string[]): Decide =>
  (ask) =>
    stage.decide(ask, { behavior: 'allow', suggestion_ids });
const deny =
  (reason?: string): Decide =>
  (ask) =>
    stage.decide(ask, { behavior: 'deny', ...(reason && { reason }) });
const change =
  (to: (input: Record<string, unknown>) => Record<string, unknown>): Decide =>
  (ask) =>
    stage.decide(ask, {
      behavior: 'allow',
      updated_input: to((ask.request as { input: Record<string, unknown> }).input),
    });
const command = (text: string) => ({ tool_name: 'Bash', input: { command: text } });
const PATCH = { model: 'gpt-5.5', sandbox: 'read-only' };
const READ_ONLY = { sandbox: 'read-only' };

const CASES: Record<string, Case> = {
  'command-allowed': { asks: [[{ ...command('echo hi > a.txt'), reason: 'Need it' }, allow]] },
  'command-denied': { asks: [[command('touch b.txt'), deny('use git mv instead')]] },
  'command-refused': { asks: [[command('touch c.txt'), deny()]] },
  'command-session': {
    asks: [
      [{ ...command('date >> d.txt'), suggestions: [{ id: 'session' }, { id: 'prefix' }] }, allowFor('session')],
      [command('date >> e.txt'), deny()],
    ],
  },
  'command-changed': {
    asks: [
      [command('echo all > f.txt'), change((input) => ({ ...input, command: 'echo some > f.txt' }))],
      [command('echo some > f.txt'), deny()],
    ],
  },
  'command-cancelled': {
    asks: [[command('touch j.txt'), (ask) => stage.api.runs.cancel(ask.run_id, { reason: 'not today' })]],
    ends: { status: 'cancelled' },
  },
  'patch-allowed': {
    input: PATCH,
    asks: [
      [
        {
          tool_name: 'apply_patch',
          input: { files: [{ path: 'gone.txt' }, { path: 'new.txt' }, { path: 'old.txt' }] },
        },
        allow,
      ],
    ],
  },
  'patch-denied': { input: PATCH, asks: [[{ tool_name: 'apply_patch' }, deny('keep the old file')]] },
  'patch-session': {
    input: PATCH,
    asks: [[{ tool_name: 'apply_patch', input: { path: 'old.txt' } }, allowFor('session')]],
  },
  'permissions-allowed': {
    input: READ_ONLY,
    asks: [[{ tool_name: 'request_permissions', reason: 'need the cache' }, allowFor('session')]],
  },
  'permissions-some': {
    input: READ_ONLY,
    asks: [
      [
        { tool_name: 'request_permissions' },
        change((input) => ({
          ...input,
          permissions: { network: (input.permissions as { network: unknown }).network },
        })),
      ],
    ],
  },
  'permissions-denied': { input: READ_ONLY, asks: [[{ tool_name: 'request_permissions' }, deny('no network here')]] },
};

describe('Codex, played again', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input = {}, asks, ends = { status: 'completed' } }) => {
    const run = await start(name, input);
    for (const [shown, decide] of asks) {
      const { ask, run: ended } = (await next(run)) as { ask?: AskView; run?: RunView };
      if (!ask) throw new Error(`the run is ${ended?.status} without the ask: ${ended?.error}`);
      expect(ask.request).toMatchObject(shown);
      await decide(ask);
    }
    const over = await stage.over(run.run_id);
    expect(over, over.error).toMatchObject(ends);
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});

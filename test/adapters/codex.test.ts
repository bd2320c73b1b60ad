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
import { CASES } from './codex-cases.ts';

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

const SETTINGS = { sandbox: 'workspace-write', approval_policy: 'on-request' };

describe('Codex, played again', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input = {}, asks, ends = { status: 'completed' } }) => {
    const run = await start(name, input);
    for (const [shown, decide] of asks) {
      const { ask, run: ended } = (await next(run)) as { ask?: AskView; run?: RunView };
      if (!ask) throw new Error(`the run is ${ended?.status} without the ask: ${ended?.error}`);
      expect(ask.request).toMatchObject(shown);
      await decide(stage, ask);
    }
    const over = await stage.over(run.run_id);
    expect(over, over.error).toMatchObject(ends);
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace('.jsonl', ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});

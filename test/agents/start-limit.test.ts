// Programs that are started and never become ready: the run fails with what is known, and nothing is left running.
// Covers: src/agents/kit/start-limit.ts
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acp } from '../../src/agents/acp/agent.ts';
import { codex } from '../../src/agents/codex/agent.ts';
import { createStartLimit } from '../../src/agents/kit/start-limit.ts';
import { opencode } from '../../src/agents/opencode/agent.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { TestBed } from '../support/test-bed.ts';

const LIMIT_MS = 500;
/** Replies to the first request, where the test says so, and then waits without end. */
const WAITS = `#!/bin/sh
echo $$ > "$PWD/pid"
echo 'Opening the browser to log in' >&2
echo 'no message of the protocol'
if [ "$1" = answers ]; then
  read -r request
  echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}}'
fi
while :; do sleep 0.2; done
`;

const server = serverForAll();
const root = mkdtempSync(join(tmpdir(), 'holdpoint-start-limit-'));
const before = { ...process.env };
let bed: TestBed;
beforeAll(async () => {
  mkdirSync(join(root, 'bin'));
  for (const name of ['opencode', 'codex', 'acp']) writeFileSync(join(root, 'bin', name), WAITS, { mode: 0o755 });
  process.env.PATH = [join(root, 'bin'), before.PATH].join(delimiter);
  bed = new TestBed(await server.url(), server.token);
  await bed.worker({ agents: [acp, codex, opencode], startLimitMs: LIMIT_MS });
});
afterAll(async () => {
  await bed.close();
  process.env = before;
  rmSync(root, { recursive: true, force: true });
});

describe('a program that is never ready', () => {
  it.each([
    ['opencode', {}, 'OpenCode was started (opencode serve'],
    ['codex', {}, 'Codex was started (codex app-server)'],
    ['acp', { command: 'acp' }, 'acp was started (acp)'],
    ['acp', { command: 'acp answers' }, 'acp was started (acp answers)'],
  ])('fails the run of %s %o', async (agent, input, began) => {
    const folder = mkdtempSync(join(root, 'work-'));
    const { session_id } = await bed.api.sessions.create({ agent, work_folder: folder });
    const run = await bed.api.runs.start(session_id, { input: { text: 'go', ...input } });
    const { status, error } = await bed.over(run.run_id);
    expect(status).toBe('failed');
    expect(error).toContain(began);
    expect(error).toContain('was not ready after 0.5 s, so it was ended.');
    expect(error).toContain('Opening the browser to log in');
    expect(error).toContain('Start it yourself in the same folder');
    const pid = readFileSync(join(folder, 'pid'), 'utf8').trim();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
  });
});

it('a program that has asked something may take as long as the person does', async () => {
  let isEnded = false;
  const limit = createStartLimit({ startLimitMs: 1 }, { title: 'A', argv: ['a'] }, () => {
    isEnded = true;
  });
  limit.lift();
  await limit.step(new Promise((resolve) => setTimeout(resolve, 20)));
  expect(isEnded).toBe(false);
});

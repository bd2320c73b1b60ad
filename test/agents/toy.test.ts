// An agent is a folder and a line in the registry: a toy agent that exists only in test/agents/toy is hosted, attached,
// listed, offered with its settings and named by `doctor`, and passes the conformance suite. Covers no agent of the build.
// Covers: src/agents/registry.ts, src/agents/agent.ts
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { agentConformance } from '../conformance/agent.ts';
import { endEverything, type Holdpoint, spawnHoldpoint, startHoldpoint } from '../support/process.ts';
import { TestBed } from '../support/test-bed.ts';
import { standInFixture } from './planned-fixture.ts';
import { toy } from './toy/agent.ts';
import { TOY_ENVIRONMENT, TOY_PROGRAM } from './toy/environment.ts';

agentConformance(
  'the toy agent',
  standInFixture({
    agent: 'toy',
    command: 'toy',
    program: TOY_PROGRAM,
    input: { text: 'go' },
    env: TOY_ENVIRONMENT,
    isParallel: true,
    repeatsAfterCrash: false,
    repeatsAfterEdit: false,
    skipsQuestions: true,
    hasProcess: true,
    settlesItself: true,
  }),
);

describe('the toy agent in the rest of the product', () => {
  const home = mkdtempSync(join(tmpdir(), 'holdpoint-toy-'));
  const bin = join(home, 'bin');
  const env = { ...TOY_ENVIRONMENT, HOME: home, PATH: [bin, process.env.PATH].join(delimiter) };
  const settings = join(home, 'toy.json');
  let server: Holdpoint;
  let bed: TestBed;

  beforeAll(async () => {
    mkdirSync(bin);
    writeFileSync(join(bin, 'toy'), `#!/bin/sh\nexec "${process.execPath}" "${TOY_PROGRAM}" "$@"\n`, { mode: 0o755 });
    server = await startHoldpoint({ via: 'main', env });
    bed = new TestBed(server.url, server.token);
  });
  afterAll(async () => {
    await endEverything();
    rmSync(home, { recursive: true, force: true });
  });

  const holdpoint = async (...command: string[]) => {
    const own = { ...env, HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token };
    const process = spawnHoldpoint({ command, via: 'main', data: server.data, env: own });
    const { code } = await process.exited;
    return { code, stdout: process.stdout(), stderr: process.stderr() };
  };

  it('is listed by GET /v1/agents with its title and settings', async () => {
    const listed = await bed.until(async () => (await bed.api.insights.agents()).find((agent) => agent.name === 'toy'));
    expect(listed).toMatchObject({ title: 'Toy agent', takes: 'text', workers: 1, settings: toy.settings });
  });

  it('is named by doctor with the version that is installed', async () => {
    const { stdout } = await holdpoint('doctor', '--json');
    expect(stdout).toContain('"toy"');
    expect(stdout).toContain('1.2.3, the tested version');
  });

  it('asks through its hook once it is connected, and its settings come back byte for byte', async () => {
    const before = '{\n\t"own" : [1 ,2]\n}';
    writeFileSync(settings, before);
    expect(await holdpoint('connect', 'toy', '--yes')).toMatchObject({ code: 0 });
    const { hooks } = JSON.parse(readFileSync(settings, 'utf8'));
    const [{ url, headers }] = hooks.Ask[0].hooks;
    const call = { conversation: 'one', call: 'call_hook', command: 'make it so' };
    const reply = fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    const [ask] = await bed.pending('toy.one');
    if (!ask) throw new Error('nothing is pending');
    expect(ask).toMatchObject({ tool_call_id: 'call_hook', request: { input: { command: 'make it so' } } });
    await bed.decide(ask, { behavior: 'allow' });
    expect(await (await reply).json()).toEqual({ allowed: true });
    expect(await holdpoint('disconnect', 'toy', '--yes')).toMatchObject({ code: 0 });
    expect(readFileSync(settings, 'utf8')).toBe(before);
    const revoked = createClient({ url: server.url, token: String(headers.Authorization).slice(7), retryForMs: 0 });
    await expect(revoked.signIn.me()).rejects.toMatchObject({ status: 401 });
  });
});

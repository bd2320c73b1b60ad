// A program of ours in the place of an agent's, for a whole file of tests: found by that name by a real worker of a real
// server, so that everything but the agent itself is as it is.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { Agent } from '../../src/agents/agent.ts';
import { claude } from '../../src/agents/claude/agent.ts';
import { serverForAll } from '../support/shared-fixtures.ts';
import { TestBed } from '../support/test-bed.ts';

export interface StandIn {
  /** A folder for this file of tests. */
  readonly root: string;
  bed: TestBed;
}

/** `program` is a file of test/support. */
export function standInForAll(program: string, agent: Agent = claude): StandIn {
  const server = serverForAll();
  const own = { root: mkdtempSync(join(tmpdir(), 'holdpoint-stand-in-')) } as StandIn;
  const before = { ...process.env };
  beforeAll(async () => {
    const path = join(import.meta.dirname, '..', 'support', program);
    mkdirSync(join(own.root, 'bin'));
    const script = `#!/bin/sh\nexec "${process.execPath}" "${path}" "$@"\n`;
    writeFileSync(join(own.root, 'bin', agent.program?.command ?? agent.name), script, { mode: 0o755 });
    process.env.PATH = [join(own.root, 'bin'), before.PATH].join(delimiter);
    own.bed = new TestBed(await server.url(), server.token);
    await own.bed.worker({ agents: [agent] });
  });
  afterAll(async () => {
    await own.bed.close();
    process.env = before;
    rmSync(own.root, { recursive: true, force: true });
  });
  return own;
}

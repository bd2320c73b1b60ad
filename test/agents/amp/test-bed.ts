// A server with a state folder, and the settings of an Amp that is connected to it: what the delegate needs to be called as Amp
// calls it.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { connector } from '../../../src/agents/amp/connect.ts';
import { endEverything, type Holdpoint, root, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';

export const DELEGATE = join(root, 'bin', 'holdpoint-amp-delegate');

export interface ConnectedAmp {
  server: Holdpoint;
  bed: TestBed;
  settingsFile: string;
  /** Where it works. */
  folder: string;
  /** Calls the delegate for a tool call. */
  delegate(tool: string, input: object | string, env?: Record<string, string>): Delegated;
}

export interface Delegated {
  kill(signal: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; said: string }>;
}

export function connectedAmpForAll(): ConnectedAmp {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'holdpoint-amp-')));
  const folder = join(home, 'work');
  const settingsFile = join(home, 'settings.json');
  const amp = { folder, settingsFile } as ConnectedAmp;
  amp.delegate = (tool, input, more = {}) => {
    const env = { PATH: process.env.PATH, HOME: home, AMP_SETTINGS_FILE: settingsFile, AGENT: 'amp' };
    const child = spawn(DELEGATE, [], { cwd: folder, env: { ...env, AGENT_TOOL_NAME: tool, ...more } });
    child.stdin.on('error', () => {});
    child.stdin.end(typeof input === 'string' ? input : JSON.stringify(input));
    const code = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const ended = Promise.all([code, text(child.stderr)]).then(([exit, said]) => ({ code: exit, said }));
    return { kill: (signal) => void child.kill(signal), ended };
  };
  beforeAll(async () => {
    mkdirSync(folder);
    amp.server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
    const { url, data } = amp.server;
    const target = { url, data, program: join(root, 'bin', 'holdpoint'), token: '' };
    writeFileSync(settingsFile, connector.connected(undefined, target));
    amp.bed = new TestBed(url, amp.server.token);
  });
  afterAll(async () => {
    await endEverything();
    rmSync(home, { recursive: true, force: true });
  });
  return amp;
}

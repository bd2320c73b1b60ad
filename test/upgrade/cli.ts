// The command line of this version as a process, with nothing of the environment that would lead it to another server.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { root } from '../support/process.ts';

export async function runCli(args: string[], env: Record<string, string>) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(HOLDPOINT_|CLAUDE_CONFIG|CODEX_)/.test(name));
  const child = spawn(process.execPath, [join(root, 'bin', 'holdpoint'), ...args], {
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}

/** What `audit verify` reports, but for the work folders: the fixture moved those, and only in the rows. */
export async function auditFaults(env: Record<string, string>): Promise<string[]> {
  const { stdout } = await runCli(['audit', 'verify', '--json'], env);
  const { faults, rows } = JSON.parse(stdout) as { faults: string[]; rows: number };
  if (rows === 0) throw new Error('no rows were compared');
  return faults.filter((fault) => !/^sessions row \S+: work_folder is /.test(fault));
}

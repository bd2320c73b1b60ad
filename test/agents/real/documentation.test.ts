// Runs the commands of the documentation that need a real agent, as a reader would type them: a server with its built-in
// worker, the pinned binaries in the PATH, the scripted model, and nothing of this machine's own settings.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf, type Snippet, snippetsOf } from '../../support/markdown-snippets.ts';
import { endEverything, root, startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { hasPty, openPty } from '../../support/pty.ts';
import { geminiEnvironment } from './acp-test-bed.ts';
import { claude, codex, gemini, opencode } from './binaries.ts';
import { claudeEnvironment } from './claude-test-bed.ts';
import { codexEnvironment } from './codex-test-bed.ts';
import { Model } from './model.ts';
import { OpenAiModel } from './model-openai.ts';
import { opencodeEnvironment } from './opencode-test-bed.ts';

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)];
const snippets = pages
  .filter((page) => page.endsWith('.md'))
  .flatMap((page) => snippetsOf(join(root, page), page))
  .filter(({ how }) => how === 'with an agent');

const binaries: Record<string, string | undefined> = { claude, codex, opencode, acp: gemini };
const environments: Record<string, (home: string) => Record<string, string>> = {
  claude: (home) => claudeEnvironment(home, model.url),
  codex: (home) => codexEnvironment(home, responses.url, ''),
  opencode: (home) => opencodeEnvironment(home, model.url),
  acp: (home) => geminiEnvironment(home, model.url),
};

let model: Model;
let responses: OpenAiModel;
beforeAll(async () => {
  model = await Model.start();
  model.play([[{ text: 'Done.' }]]);
  responses = await OpenAiModel.start();
});
afterAll(async () => {
  await endEverything();
  model.close();
  responses.close();
});

describe('the documentation of agents', () => {
  for (const snippet of snippets) {
    const { page, line, what = '' } = snippet;
    it.skipIf(!binaries[what])(`runs ${page}:${line} with ${what}`, () => runs(snippet));
  }
});

async function runs({ what = '', code }: Snippet): Promise<void> {
  const env = await environmentOf(what);
  for (const line of commandsOf(code)) {
    const prompt = /"([^"]+)"(?:\s*#.*)?$/.exec(line)?.[1] ?? '';
    responses.play(prompt, [[{ text: 'Done.' }]]);
    const { status, output } = await (/ connect /.test(line) ? confirm : run)(line, env);
    expect(status, `${line}\n${output}`).toBe(0);
    if (/ run /.test(line)) expect(output).toContain('Done.');
  }
}

async function environmentOf(agent: string): Promise<NodeJS.ProcessEnv> {
  const home = temporaryFolder();
  const bin = join(home, 'commands');
  mkdirSync(bin);
  symlinkSync(join(root, 'bin', 'holdpoint'), join(bin, 'holdpoint'));
  writeFileSync(join(bin, 'my-agent'), '#!/bin/sh\nexec gemini "$@"\n', { mode: 0o755 });
  const own = environments[agent]?.(home) ?? {};
  const PATH = [bin, dirname(process.execPath), own.PATH ?? process.env.PATH].join(delimiter);
  const { url, token, data } = await startHoldpoint({ env: { ...own, PATH } });
  return { ...own, PATH, HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token, HOLDPOINT_DATA: data, NO_COLOR: '1' };
}

async function run(line: string, env: NodeJS.ProcessEnv) {
  const child = spawn('bash', ['-c', line], { cwd: temporaryFolder(), env, stdio: ['ignore', 'pipe', 'pipe'] });
  const status = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, output: out + err };
}

/** `connect` shows a change and asks; somebody says yes. */
async function confirm(line: string, env: NodeJS.ProcessEnv) {
  if (!hasPty) return run(`${line.replace(/ #.*$/, '')} --yes`, env);
  const terminal = openPty({ command: ['bash', '-c', line], cwd: temporaryFolder(), env, rows: 60 });
  await terminal.shows('Yes / ');
  terminal.type('y');
  return { status: await terminal.exited, output: terminal.raw() };
}

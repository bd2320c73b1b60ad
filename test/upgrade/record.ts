// Records the fixture of a release: what its server and its command line leave behind in a state folder and in a person's
// settings, with the views that it printed of them. `previous-release.test.ts` starts this version on it.
// To record another release, after it was tagged (Linux, Node >= 24):
//   git worktree add ../release v0.1.0 && npm install --prefix ../release
//   node test/upgrade/record.ts ../release 0.1.0
// The tokens and keys in a fixture were made for the recording and open nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Api, type Ask, apiOf, decide, type Fields, pendingAsk, type Run, until } from './api.ts';
import {
  CONNECTIONS,
  connectionEnv,
  type HooksFile,
  hooksIn,
  RECORDED_AT,
  RECORDED_PROGRAM,
  RELEASES,
  type Views,
  WORK_FOLDERS,
} from './fixture.ts';
import { PROJECT, standInAgents } from './stand-ins.ts';
import { storeAnswersAndLeases, storeExternalWork, storeHostedWork } from './stored-work.ts';

const [release, version] = process.argv.slice(2);
if (release === undefined || version === undefined) throw new Error('usage: record.ts <release folder> <version>');

const root = RECORDED_AT;
const state = join(root, 'state');
const home = join(root, 'home');
const program = join(RECORDED_PROGRAM, 'bin', 'holdpoint');
const fixture = join(RELEASES, version);

const inherited = Object.entries(process.env).filter(([name]) => !/^(HOLDPOINT|CLAUDE|CODEX)_/.test(name));
const env = { ...Object.fromEntries(inherited), HOME: home, HOLDPOINT_DATA: state, HOLDPOINT_PORT: '0', NO_COLOR: '1' };

const servers = new Set<ChildProcess>();
process.on('exit', () => {
  for (const { pid, exitCode, signalCode } of servers)
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
});

rmSync(root, { recursive: true, force: true });
mkdirSync(home, { recursive: true });
for (const part of ['bin', 'scripts', 'src', 'package.json'])
  cpSync(join(resolve(release), part), join(RECORDED_PROGRAM, part), { recursive: true });
symlinkSync(join(resolve(release), 'node_modules'), join(RECORDED_PROGRAM, 'node_modules'));
writeSettings();
const hosting = await serve([], standInAgents(join(root, 'agents')));
await storeHostedWork(hosting.api, root);
await hosting.kill();

const server = await serve(['--no-worker']);
const { api } = server;
await storeAnswersAndLeases(api);
await storeExternalWork(api);
for (const connection of CONNECTIONS)
  await run(['connect', connection.agent, '--yes', '--url', server.url], connectionEnv(home, connection));
const attachedAsk = storeAttachedClaude(api);
await pendingAsk(api, 'claude.0f0e4c5e-6a35-4b52-9c1e-2d7a8f1b3c4d');
const answered = await hookedCodex(api, 'answered', 'make check');
await decide(api, answered.ask, { behavior: 'allow' });
await answered.ended;
const killedHook = await hookedCodex(api, 'killed', 'make install');
await storeAttachedCodex(api);
const views = await viewsOf(api);
await server.kill();
await attachedAsk;
await killHook();
await killedHook.ended;

save(views);
rmSync(root, { recursive: true, force: true });

interface Server {
  url: string;
  api: Api;
  /** As a crash ends it: it lets go of nothing. */
  kill(): Promise<void>;
}

async function serve(args: string[], more: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, [program, 'serve', '--log', 'silent', ...args], {
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  servers.add(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const url = await until(async () => {
    if (child.exitCode !== null) throw new Error('the server of the release did not start');
    return /^holdpoint ready (\S+)$/m.exec(said)?.[1];
  });
  const token = readFileSync(join(state, 'operator.token'), 'utf8').trim();
  return { url, api: apiOf(url, token), kill: () => killed(child) };
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('close', done));
  process.kill(-(child.pid as number), 'SIGKILL');
  await ended;
}

async function run(args: string[], more: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...env, ...more },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, code] = await Promise.all([text(child.stderr), new Promise((done) => child.once('close', done))]);
  if (code !== 0) throw new Error(`holdpoint ${args.join(' ')}: ${said}`);
}

/** Each in a formatting of its own, all without a last line feed. */
function writeSettings(): void {
  const theirs = { type: 'command', command: 'notify-send "$TOOL"', timeout: 5 };
  const permissions = { allow: ['Bash(ls *)', 'Read(~/öffentlich/**)'], deny: [] };
  const group = { matcher: 'Bash', hooks: [theirs] };
  const hooks = { PermissionRequest: [group], Stop: [], Notification: [{ hooks: [theirs] }] };
  const crlf = (value: object) => JSON.stringify(value, undefined, '\t').replaceAll('\n', '\r\n');
  const contents = [
    `\uFEFF${crlf({ model: 'opus', hooks, permissions })}`,
    undefined,
    `{\n    "description" : "mine",\n    "hooks":{ "PermissionRequest": [ ${JSON.stringify(group)} ],\n  "Stop": [ ] }}`,
    JSON.stringify({ hooks: { PreToolUse: [group] } }),
  ];
  for (const [i, connection] of CONNECTIONS.entries()) {
    const content = contents[i];
    if (content === undefined) continue;
    const path = join(home, connection.file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content, { mode: 0o644 });
  }
  cpSync(home, join(root, 'before'), { recursive: true });
}

/** Asks through the hooks that `connect` wrote, and keeps waiting. */
async function storeAttachedClaude(api: Api): Promise<void> {
  const path = join(home, CONNECTIONS[0].file);
  const settings = JSON.parse(readFileSync(path, 'utf8').replace('\uFEFF', '')) as HooksFile;
  const ours = hooksIn(settings).find(({ url }) => url !== undefined);
  if (!ours?.url) throw new Error('the settings have no hook of Holdpoint');
  const { url, headers } = ours;
  const conversation = { session_id: '0f0e4c5e-6a35-4b52-9c1e-2d7a8f1b3c4d', cwd: PROJECT };
  const call = { tool_name: 'Bash', tool_input: { command: 'npm publish' } };
  const callHook = (event: Fields) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ ...conversation, ...event }),
    });
  await callHook({ hook_event_name: 'UserPromptSubmit', prompt: 'Publish it.' });
  await callHook({ hook_event_name: 'PreToolUse', tool_use_id: 'toolu_publish', ...call });
  const waiting = callHook({ hook_event_name: 'PermissionRequest', ...call }).catch(() => {});
  // A hook's ask expires within a day; this one is still open when the fixture is used.
  const asked = await pendingAsk(api, `claude.${conversation.session_id}`);
  const more = { kind: 'approval', tool_call_id: 'toolu_tag', tool_name: 'Bash', input: { command: 'git tag v1' } };
  await api.post(`/v1/runs/${asked.run_id}/asks`, { ...more, work_folder: PROJECT });
  await waiting;
}
/** A Codex without a daemon asks through its hook, which waits for the answer. */
async function hookedCodex(api: Api, thread: string, command: string): Promise<{ ask: Ask; ended: Promise<unknown> }> {
  const settings = JSON.parse(readFileSync(join(home, CONNECTIONS[2].file), 'utf8')) as HooksFile;
  const hook = hooksIn(settings).find((one) => one.command?.includes('hook codex'));
  if (hook?.command === undefined) throw new Error('the settings have no hook of Holdpoint');
  const child = spawn('sh', ['-c', hook.command], { env, stdio: ['pipe', 'ignore', 'ignore'] });
  const event = { hook_event_name: 'PermissionRequest', session_id: thread, turn_id: 'turn', cwd: PROJECT };
  child.stdin.end(JSON.stringify({ ...event, tool_name: 'Bash', tool_input: { command } }));
  const ended = new Promise((done) => child.once('close', done));
  return { ask: await pendingAsk(api, `codex-own-${thread}`), ended };
}

/** By the note that it left, which stays. */
async function killHook(): Promise<void> {
  const [note = ''] = readdirSync(join(state, 'hooks'));
  const { process: waiting } = JSON.parse(readFileSync(join(state, 'hooks', note), 'utf8'));
  process.kill(waiting.pid, 'SIGKILL');
}

/** What the worker stores that follows the daemon of a person's own Codex. */
async function storeAttachedCodex(api: Api): Promise<void> {
  const place = `at=${readFileSync(join(state, 'attached-from'), 'utf8').trim()}`;
  const session_id = 'codex-own-0198c7a2-1111-7222-8333-444455556666';
  const labels = ['attached', place];
  const session = { session_id, agent: 'external', agent_id: 'codex', labels, title: 'Mend it', work_folder: PROJECT };
  await api.post('/v1/sessions', session);
  const turn = { input: { text: 'Mend it' }, source: 'codex' };
  const key = { 'idempotency-key': 'turn:turn-1' };
  const { run_id } = await api.post<Run>(`/v1/sessions/${session_id}/runs`, turn, key);
  const call = { kind: 'approval', tool_name: 'Bash', input: { command: 'touch a.txt', cwd: PROJECT } };
  for (const id of ['call_1@turn-1', 'call_1@turn-1~2', 'call_2@turn-1'])
    await api.post(`/v1/runs/${run_id}/asks`, { ...call, tool_call_id: id });
  const [first] = await api.get<{ ask_id: string }[]>(`/v1/asks?run_id=${run_id}`);
  const resolutions = [{ request_id: first?.ask_id, behavior: 'allow' }];
  await api.post(`/v1/runs/${run_id}/approvals`, { resolutions });
  await api.post(`/v1/asks/${first?.ask_id}/sent`);
}

async function viewsOf(api: Api): Promise<Views> {
  const list = <T>(what: string) => api.get<T[]>(`/v1/${what}?limit=500`);
  const sessions = (await list<Views['sessions'][number]>('sessions')).filter(
    ({ session_id }) => session_id !== 'system',
  );
  const threads: Views['threads'] = {};
  for (const { session_id, thread_id } of sessions)
    threads[session_id] = await list(`threads/${encodeURIComponent(thread_id)}/items`);
  return { sessions, runs: await list('runs'), asks: await list('asks'), threads };
}

function save(views: Views): void {
  const path = join(state, 'holdpoint.db');
  const database = new DatabaseSync(path);
  database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  rmSync(fixture, { recursive: true, force: true });
  const isLock = (file: string) => /lock(-journal)?$/.test(file);
  for (const folder of ['state', 'home', 'before'])
    cpSync(join(root, folder), join(fixture, folder), { recursive: true, filter: (file) => !isLock(file) });
  rmSync(join(fixture, 'state', 'holdpoint.db'));
  writeFileSync(join(fixture, 'state', 'holdpoint.db.gz'), gzipSync(readFileSync(path), { level: 9 }));
  const text = JSON.stringify(views).replaceAll(join(root, 'work'), WORK_FOLDERS);
  writeFileSync(join(fixture, 'views.json'), `${text}\n`);
}

// Runs every command and program of docs/notifications.md as a reader would, against receivers of our own that read messages
// as ntfy, Slack and sendmail document it. Addresses of the page are replaced by those of the receivers, and nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewTokenView } from '../src/core/views.ts';
import { node, PATIENT, testBedForAll } from './cli/test-bed.ts';
import { commandsOf, snippetsOf } from './support/markdown-snippets.ts';
import { freePort } from './support/postgres.ts';
import { root, temporaryFolder } from './support/process.ts';
import { PushService } from './support/push-service.ts';

const PAGE = 'docs/notifications.md';
const snippets = snippetsOf(join(root, PAGE), PAGE).filter(({ how }) => how === 'run by');
const [BRIDGE = ''] = snippets.filter(({ language }) => language === 'js').map(({ code }) => code);
const COMMANDS = snippets.filter(({ language }) => language === 'sh').flatMap(({ code }) => commandsOf(code));

const bed = testBedForAll({ HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1', HOLDPOINT_PAGE_URL: 'https://page.example' });
const folder = temporaryFolder();
const mailbox = join(folder, 'mailbox');
/** What each service shows, by its host on the page. */
const shown: Record<string, object[]> = { 'ops.example.org': [], 'ntfy.sh': [], 'hooks.slack.com': [] };
const services = createServer(serve);
let push: PushService;
let bridge: ChildProcess | undefined;
let bridgePort: number;

beforeAll(async () => {
  push = await PushService.start();
  await new Promise<void>((resolve) => services.listen(0, '127.0.0.1', resolve));
  bridgePort = await freePort();
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  symlinkSync(join(root, 'bin', 'holdpoint'), join(folder, 'node_modules', '.bin', 'holdpoint'));
  symlinkSync(join(root, 'node_modules', 'standardwebhooks'), join(folder, 'node_modules', 'standardwebhooks'));
  writeFileSync(join(folder, 'node_modules', '.bin', 'sendmail'), `#!/bin/sh\ncat >> '${mailbox}'\n`, { mode: 0o755 });
}, PATIENT.timeout);
afterAll(async () => {
  bridge?.kill('SIGKILL');
  services.close();
  await push.stop();
});

describe('the page about notifications', PATIENT, () => {
  it('has commands that work, and texts that ntfy, Slack and a mail program show', async () => {
    expect(COMMANDS.map((command) => command.split(' ').slice(0, 4).join(' '))).toEqual([
      'holdpoint notify test lead',
      'holdpoint notify list ',
      'holdpoint webhooks add ops',
      'holdpoint webhooks deliveries ops',
      'holdpoint webhooks redeliver ops',
      'holdpoint webhooks add ntfy',
      'holdpoint webhooks add slack',
      'holdpoint webhooks add mail',
    ]);
    const phone = push.browser();
    const { token } = await bed.client.tokens.create({ scope: 'operator', name: 'lead' });
    await addDevice(token, phone.subscription);
    const printed: string[] = [];
    for (const command of COMMANDS) printed.push(await typed(command));
    expect(printed[0]).toContain('lead by push (phone): accepted');
    startBridge(/secret: (\S+)/.exec(printed.at(-1) ?? '')?.[1] ?? '');

    const { ask_id } = await (await bed.work('paged')).approval('one', {
      input: { command: 'make <!here> {{.data}}' },
    });
    const url = `https://page.example/asks/${ask_id}`;
    const text = 'Bash: make <!here> {{.data}}';
    const slack = `Bash: make &lt;!here&gt; {{.data}}\n${url}`;
    await expect.poll(() => shown['ntfy.sh'], PATIENT).toEqual([{ title: 'Holdpoint', message: `${text}\n${url}` }]);
    await expect.poll(() => shown['hooks.slack.com'], PATIENT).toEqual([{ text: slack }]);
    await expect
      .poll(() => shown['ops.example.org'], PATIENT)
      .toMatchObject([{ type: 'ask.raised', data: { text, url } }]);
    await expect
      .poll(mails, PATIENT)
      .toBe(
        `To: you@example.org\nSubject: Holdpoint: a request waits\nContent-Type: text/plain; charset=utf-8\n\n${text}\n\n${url}\n`,
      );
  });
});

const mails = (): string => {
  try {
    return readFileSync(mailbox, 'utf8');
  } catch {
    return '';
  }
};

const env = () => ({ PATH: [join(folder, 'node_modules', '.bin'), dirname(node), process.env.PATH].join(delimiter) });

/** Runs a command of the page, with the addresses of our receivers, and resolves to what it printed. */
async function typed(command: string): Promise<string> {
  const { port } = services.address() as AddressInfo;
  const script = command
    .replace(/https:\/\/([\w.]+)/, `http://127.0.0.1:${port}/$1`)
    .replace('127.0.0.1:9000', `127.0.0.1:${bridgePort}`);
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env: bed.env(env()) });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
    });
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, `${script}\n${output}`).toBe(0);
  return output;
}

function startBridge(SECRET: string): void {
  const file = join(folder, 'bridge.mjs');
  writeFileSync(file, BRIDGE.replace('listen(9000', `listen(${bridgePort}`));
  bridge = spawn(node, [file], { env: { ...env(), SECRET }, stdio: 'inherit' });
}

async function addDevice(token: NewTokenView['token'], subscription: object): Promise<void> {
  const reply = await fetch(`${bed.server.url}/v1/notices/devices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ subscription, label: 'phone' }),
  });
  expect(reply.status).toBe(201);
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += part;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const host = url.pathname.split('/')[1] ?? '';
  const read = READERS[host]?.(JSON.parse(body), url.searchParams);
  if (read) shown[host]?.push(read);
  response.writeHead(read ? 200 : 400).end(host === 'hooks.slack.com' ? 'ok' : '');
}

type Reader = (body: { type?: string; text?: string }, query: URLSearchParams) => object | undefined;

const READERS: Record<string, Reader> = {
  'ops.example.org': (body) => (body.type === 'ask.raised' ? body : {}),
  /** With `template`, title and message are Go templates over the JSON body; other parameters are taken as they are. */
  'ntfy.sh': (body, query) => {
    if (query.get('template') !== 'yes') return undefined;
    const filled = (name: string) =>
      (query.get(name) ?? '').replace(/\{\{\.([\w.]+)\}\}/g, (_, path: string) =>
        String(path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], body)),
      );
    return { title: filled('title'), message: filled('message') };
  },
  /** A message has a text; links are not looked up, and markup is off. */
  'hooks.slack.com': ({ text, ...rest }) => {
    expect(rest).toEqual({ unfurl_links: false, mrkdwn: false });
    return text === undefined ? undefined : { text };
  },
};

// A managed ACP agent that breaks the protocol: whatever it sends, no reply but a person's own allows anything.
// Covers: src/agents/acp/requests.ts
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acp } from '../../../src/agents/acp/agent.ts';
import type { Rule } from '../../../src/core/rule.ts';
import type { AskView } from '../../../src/core/views.ts';
import { standInForAll } from '../stand-in.ts';

const standIn = standInForAll('raw-acp.mjs', acp);
let made = 0;

function work(): string {
  made += 1;
  const folder = join(standIn.root, `work-${made}`);
  mkdirSync(folder);
  return folder;
}

async function start(steps: object[], folder = work(), rules: Rule[] = []) {
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(steps));
  const { api } = standIn.bed;
  const { session_id } = await api.sessions.create({ agent: 'acp', work_folder: folder, rules });
  const run = await api.runs.start(session_id, { input: { text: 'go', command: 'acp' } });
  const replied = join(folder, 'replies.txt');
  const lines = () => (existsSync(replied) ? readFileSync(replied, 'utf8').trim().split('\n') : []);
  const asks = (count: number) => standIn.bed.pending(session_id, count);
  return {
    asks,
    oneAsk: async () => (await asks(1))[0] as AskView,
    over: () => standIn.bed.over(run.run_id),
    replies: () => lines().map((line) => JSON.parse(line)),
  };
}

const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' },
];
const permission = (id: unknown, more: object = {}, command = 'touch one') => {
  const toolCall = { toolCallId: `call_${JSON.stringify(id)}`, kind: 'execute', rawInput: { command } };
  const params = { sessionId: 'SESSION', toolCall, options: OPTIONS, ...more };
  return { message: { id, method: 'session/request_permission', params } };
};
const write = (id: unknown, path: string) => ({
  message: { id, method: 'fs/write_text_file', params: { sessionId: 'SESSION', path, content: 'new' } },
});
const REFUSED = -32000;
const cancelled = (id: unknown) => ({ id, result: { outcome: { outcome: 'cancelled' } } });

describe('a managed ACP agent', () => {
  it('that uses the id of an open request again gets an allow for neither', async () => {
    const { over, replies } = await start([
      permission(7),
      { ...permission(7, {}, 'rm -rf /srv'), until: 2 },
      { ...permission('7', { sessionId: 'another' }), until: 3 },
    ]);
    const { status, outputs } = await over();
    expect(status).toBe('completed');
    expect(replies()).toEqual([cancelled(7), cancelled(7), cancelled('7')]);
    expect(JSON.stringify(outputs)).toMatch(/used the id of a request[\s\S]*a session that this run does not work in/);
  });

  it('that offers options of an unknown kind, or asks for more than can be stored, is refused', async () => {
    const unknown = [{ optionId: 'yes', name: 'Allow', kind: 'allow_everything' }, ...OPTIONS];
    const large = { toolCallId: 'big', title: 'x'.repeat(3 * 1024 * 1024) };
    const { over, replies } = await start([
      { ...permission(1, { options: unknown }), until: 1 },
      { ...permission(2, { toolCall: large }), until: 2 },
    ]);
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(replies()).toEqual([{ id: 1, error: -32602 }, cancelled(2)]);
  });

  it('that floods its output and prints lines that are no messages still gets exactly what the person decides', async () => {
    const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x'.repeat(1000) } };
    const flood = { message: { method: 'session/update', params: { sessionId: 'SESSION', update: chunk } } };
    const broken = ['{"jsonrpc":', 'null', '[]', '{"jsonrpc":"2.0","id":3}', '[{"jsonrpc":"2.0","id":3,"result":{}}]'];
    const { over, oneAsk, replies } = await start([
      ...broken.map((line) => ({ line })),
      { ...flood, times: 5000 },
      permission(3),
      { ...flood, times: 5000, until: 1 },
    ]);
    await standIn.bed.decide(await oneAsk(), { behavior: 'deny' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(replies()).toEqual([{ id: 3, result: { outcome: { outcome: 'selected', optionId: 'no' } } }]);
  });

  it('that may change a file by its name does not write through a link to another one, which a rule is about', async () => {
    const folder = work();
    const [named, meant] = [join(folder, 'named.txt'), join(work(), 'meant.txt')];
    writeFileSync(meant, 'old');
    symlinkSync(meant, named);
    const diff = { type: 'diff', path: named, oldText: 'old', newText: 'new' };
    const toolCall = { toolCallId: 'call_edit', kind: 'edit', title: 'Edit named.txt', content: [diff] };
    const { over, oneAsk, replies } = await start(
      [
        { ...permission(1, { toolCall }), until: 1 },
        { ...write(2, named), until: 2 },
      ],
      folder,
      [
        { tool: 'Write', action: 'allow', matches: { file_path: '*/good.txt' } },
        { tool: 'Write', action: 'reject' },
      ],
    );
    await standIn.bed.decide(await oneAsk(), { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(replies().at(-1)).toEqual({ id: 2, error: REFUSED });
    expect(readFileSync(meant, 'utf8')).toBe('old');
  });

  it('gets no file or command in a folder that became a link to another one while it was asked about', async () => {
    const folder = work();
    const [inside, outside] = [join(folder, 'inside'), work()];
    mkdirSync(inside);
    const touch = { sessionId: 'SESSION', command: 'touch made', cwd: inside };
    const { over, asks, replies } = await start(
      [write(1, join(inside, 'made')), { message: { id: 2, method: 'terminal/create', params: touch }, until: 2 }],
      folder,
      ['Write', 'Bash'].map((tool): Rule => ({ tool, action: 'allow', matches: { never: 'x' } })),
    );
    const asked = await asks(2);
    renameSync(inside, `${inside}-before`);
    symlinkSync(outside, inside);
    for (const ask of asked) await standIn.bed.decide(ask, { behavior: 'allow' });
    expect(await over()).toMatchObject({ status: 'completed' });
    expect(replies().sort((a, b) => a.id - b.id)).toEqual([
      { id: 1, error: REFUSED },
      { id: 2, error: REFUSED },
    ]);
    expect(existsSync(join(outside, 'made'))).toBe(false);
  });
});

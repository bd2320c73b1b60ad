// An agent and an editor that break the protocol, with the proxy between them and a real server: whatever they send, no reply
// but a person's own allows anything, and the agent gets at most one.
// Covers: src/agents/acp/proxy.ts
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { proxies } from '../../../src/agents/acp/proxy.ts';
import type { EditorProxy } from '../../../src/agents/kit/editor-proxy.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { AskView } from '../../../src/core/views.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';

const server = serverForAll();
let bed: TestBed;
let made = 0;
let open: (() => Promise<void>)[] = [];

beforeAll(async () => {
  bed = new TestBed(await server.url(), server.token);
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  open = [];
});

const ALLOW = { optionId: 'yes', name: 'Allow', kind: 'allow_once' };
const DENY = { optionId: 'no', name: 'Reject', kind: 'reject_once' };
const selected = (optionId: string) => ({ result: { outcome: { outcome: 'selected', optionId } } });

/** A session that the editor has opened and prompted. */
function proxied(existing?: string) {
  made += 1;
  const sessionId = existing ?? `attacked-session-${made}-${process.pid}`;
  const client = createClient({ url: bed.url, token: server.token });
  const waits = new Waits(client.http);
  const [editor, agent, notAsked]: [string[], string[], string[]] = [[], [], []];
  const proxy: EditorProxy = proxies.create({
    client,
    waits,
    machine: 'at=0000000000000000',
    folder: '/',
    toEditor: (line) => void editor.push(line),
    toAgent: (line) => void agent.push(line),
    onNotAsked: (problem) => void notAsked.push(problem),
    record: () => async () => {},
  });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await proxy.close();
    waits.close();
  };
  open.push(close);
  const fromEditor = (message: object) => proxy.fromEditor(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const fromAgent = (message: object) => proxy.fromAgent(JSON.stringify({ jsonrpc: '2.0', ...message }));
  fromEditor({ id: 1, method: 'session/new', params: { cwd: '/srv', mcpServers: [] } });
  fromAgent({ id: 1, result: { sessionId } });
  fromEditor({ id: 2, method: 'session/prompt', params: { sessionId, prompt: [{ type: 'text', text: 'go' }] } });
  const ask = (id: unknown, more: object = {}, command = 'touch one') => {
    const toolCall = { toolCallId: `call_${JSON.stringify(id)}`, kind: 'execute', rawInput: { command } };
    const params = { sessionId, toolCall, options: [ALLOW, DENY], ...more };
    fromAgent({ id, method: 'session/request_permission', params });
    return toolCall.toolCallId;
  };
  agent.splice(0);
  return {
    proxy,
    fromEditor,
    fromAgent,
    ask,
    editor,
    notAsked,
    close,
    sessionId,
    /** What the agent got. */
    replies: () => agent.flatMap((line) => (line.startsWith('{"jsonrpc":"2.0","id":') ? [JSON.parse(line)] : [])),
    agent,
    answer: (id: unknown, optionId: string) => fromEditor({ id, ...selected(optionId) }),
    asked: async (count = 1) => (await bed.pending(`acp-own-${sessionId}`, count)) as [AskView, ...AskView[]],
    update: (update: object) => fromAgent({ method: 'session/update', params: { sessionId, update } }),
  };
}

const now = ({ ask_id }: AskView) => bed.api.asks.get(ask_id);
const settled = (ask: AskView) =>
  bed.until(async () => {
    const view = await now(ask);
    return view.status === 'pending' || view.delivery.state === 'due' ? undefined : view;
  });

describe('an agent behind the proxy', () => {
  it('that uses the id of an open request again gets an allow for neither', async () => {
    const { ask, asked, answer, replies, editor, notAsked } = proxied();
    ask(7);
    const [first] = await asked();
    ask(7, {}, 'rm -rf /srv');
    expect(replies()).toEqual([expect.objectContaining({ id: 7, error: expect.anything() })]);
    expect(editor.filter((line) => line.includes('rm -rf'))).toEqual([]);
    expect(await settled(first)).toMatchObject({ status: 'cancelled' });
    await expect(bed.decide(first, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
    answer(7, 'yes');
    expect(replies()).toHaveLength(1);
    expect(notAsked.join()).toContain('used the id of a request');
    // A text is another id than a number.
    ask('7');
    answer('7', 'no');
    expect(replies().at(-1)).toMatchObject({ id: '7', ...selected('no') });
  });

  it('that uses the id of an answered request again does not get the late answer to that one', async () => {
    const { ask, asked, answer, replies } = proxied();
    ask(7);
    const [first] = await asked();
    await bed.decide(first, { behavior: 'deny' });
    await bed.until(async () => replies()[0]);
    ask(7, {}, 'rm -rf /srv');
    expect(replies().at(-1)).toMatchObject({ id: 7, error: expect.anything() });
    answer(7, 'yes');
    expect(replies()).toHaveLength(2);
    // The editor has no prompt open any more, so the id is free.
    ask(7, {}, 'touch two');
    await asked();
    answer(7, 'yes');
    expect(replies().at(-1)).toMatchObject({ id: 7, ...selected('yes') });
  });

  it('that asks for a session which the editor has not opened is asked in the editor only', async () => {
    const { ask, editor, notAsked, answer, replies } = proxied();
    const other = `other-session-of-nobody-${made}`;
    ask(8, { sessionId: other });
    expect(notAsked).toEqual(['it is for a session that the editor has not opened']);
    expect(editor.at(-1)).toContain(other);
    await expect(bed.api.sessions.get(`acp-own-${other}`)).rejects.toMatchObject({ status: 404 });
    answer(8, 'yes');
    expect(replies()).toEqual([expect.objectContaining({ id: 8, ...selected('yes') })]);
  });

  it.each([
    ['is too large for the server', { toolCall: { toolCallId: 'big', title: 'x'.repeat(3 * 1024 * 1024) } }],
    ['has no options', { options: undefined }],
    ['has options without an id', { options: [{ name: 'Allow', kind: 'allow_once' }] }],
  ])('whose request %s is asked in the editor only', async (_, more) => {
    const { ask, notAsked, editor, replies } = proxied();
    ask(9, more);
    expect(await bed.until(async () => notAsked[0])).not.toContain('"code"');
    expect(editor.at(-1)).toContain('session/request_permission');
    expect(replies()).toEqual([]);
  });

  it('gets no option for an allow where none is known to allow', async () => {
    const { ask, asked, replies } = proxied();
    ask(10, {
      options: [
        { ...ALLOW, kind: 'allow_everything' },
        { ...ALLOW, kind: 'reject_once' },
      ],
    });
    const [open] = await asked();
    expect(open.request).not.toHaveProperty('suggestions');
    await bed.decide(open, { behavior: 'allow' });
    expect(await bed.until(async () => replies()[0])).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
  });

  it('has an answer from here delivered when it shows that it has it, and not before', async () => {
    const { ask, asked, replies, update, close } = proxied();
    const [call, lost] = [ask(11), ask(12)];
    const asks = await asked(2);
    for (const one of asks) await bed.decide(one, { behavior: 'allow' });
    await bed.until(async () => (replies().length === 2 ? true : undefined));
    for (const one of asks) expect(await now(one)).toMatchObject({ delivery: { state: 'due', attempts: 1 } });
    update({ sessionUpdate: 'tool_call_update', toolCallId: call, status: 'in_progress' });
    const [shown, silent] = asks.sort((a) => (a.tool_call_id === call ? -1 : 1)) as [AskView, AskView];
    expect(await settled(shown)).toMatchObject({ delivery: { state: 'delivered' } });
    expect(silent.tool_call_id).toBe(lost);
    // The agent dies before it has said anything about the other.
    await close();
    expect(await now(silent)).toMatchObject({ delivery: { state: 'undeliverable' } });
  });

  it('that dies while the answer of the editor is on its way leaves nothing open', async () => {
    const { ask, asked, answer, close } = proxied();
    ask(13);
    const [open] = await asked();
    answer(13, 'yes');
    await close();
    expect(await now(open)).toMatchObject({ status: 'cancelled' });
    await expect(bed.decide(open, { behavior: 'allow' })).rejects.toMatchObject({ status: 409 });
  });

  it('that floods its output and prints lines that are no messages has all of it passed on, and its request open', async () => {
    const { ask, asked, proxy, update, editor, answer, replies } = proxied();
    ask(14);
    const [open] = await asked();
    const before = editor.length;
    const broken = ['{"jsonrpc":"2.0","id":14,', 'null', '14', '"x"', 'NaN'];
    for (const line of broken) proxy.fromAgent(line);
    for (let i = 0; i < 20_000; i++)
      update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${i}` } });
    expect(editor.length - before).toBe(broken.length + 20_000);
    expect(editor.slice(before, before + broken.length)).toEqual(broken);
    expect(await now(open)).toMatchObject({ status: 'pending' });
    answer(14, 'no');
    expect(replies()).toHaveLength(1);
    expect(await settled(open)).toMatchObject({ status: 'cancelled' });
  });
});

describe('two editors in one session of an agent', () => {
  it.each(['ends its turn', 'is closed'])(
    'end only their own asks: what the other asks stays open when one %s',
    async (how) => {
      const one = proxied();
      const other = proxied(one.sessionId);
      one.ask('one');
      const [ofOne] = await one.asked();
      other.ask('other', {}, 'touch two');
      const both = await one.asked(2);
      const [ofOther] = both.filter(({ ask_id }) => ask_id !== ofOne.ask_id) as [AskView];
      if (how === 'ends its turn') one.fromAgent({ id: 2, result: { stopReason: 'end_turn' } });
      await one.close();
      expect(await settled(ofOne)).toMatchObject({ status: 'cancelled' });
      expect(await now(ofOther)).toMatchObject({ status: 'pending' });
      await bed.decide(ofOther, { behavior: 'allow' });
      expect(await bed.until(async () => other.replies()[0])).toMatchObject({ id: 'other', ...selected('yes') });
      other.fromAgent({ id: 2, result: { stopReason: 'end_turn' } });
      expect(await settled(ofOther)).toMatchObject({ delivery: { state: 'delivered' } });
      await other.close();
      const run = await bed.until(async () => {
        const found = await bed.api.runs.get(ofOther.run_id);
        return found.finished_at_ms === undefined ? undefined : found;
      });
      expect(run.status).toBe('completed');
    },
  );
});

describe('an editor before the proxy', () => {
  const prompt = (id: number, sessionId: string) => ({
    id,
    method: 'session/prompt',
    params: { sessionId, prompt: [{ type: 'text', text: 'more' }] },
  });
  const END = { result: { stopReason: 'end_turn' } };

  it('that prompts again while a request is open has its answer passed on, and the ask stays open until its own turn ends', async () => {
    const { ask, asked, answer, replies, fromEditor, fromAgent, sessionId } = proxied();
    ask(23);
    const [refusedBeside] = await asked();
    fromEditor(prompt(3, sessionId));
    fromAgent({ id: 3, error: { code: -32600, message: 'a turn is in progress' } });
    // Of two prompts either may have asked.
    fromEditor(prompt(4, sessionId));
    ask(24);
    await asked(2);
    fromAgent({ id: 2, ...END });
    expect(await settled(refusedBeside)).toMatchObject({ status: 'cancelled' });
    const [ofEither] = await asked();
    fromAgent({ id: 4, ...END });
    expect(await settled(ofEither)).toMatchObject({ status: 'cancelled' });
    expect(ofEither.ask_id).not.toBe(refusedBeside.ask_id);
    answer(23, 'no');
    answer(24, 'yes');
    expect(replies().slice(-2)).toEqual([
      expect.objectContaining({ id: 23, ...selected('no') }),
      expect.objectContaining({ id: 24, ...selected('yes') }),
    ]);
  });

  it('that answers after the end of another turn is heard, and so is an answer from here', async () => {
    const { ask, asked, answer, replies, fromEditor, fromAgent, sessionId } = proxied();
    fromAgent({ id: 2, ...END });
    ask(25);
    ask(26, {}, 'touch two');
    const asks = await asked(2);
    fromEditor(prompt(3, sessionId));
    fromAgent({ id: 3, ...END });
    answer(25, 'yes');
    expect(replies().at(-1)).toMatchObject({ id: 25, ...selected('yes') });
    const [other] = asks.filter(({ tool_call_id }) => tool_call_id === 'call_26') as [AskView];
    await bed.decide(other, { behavior: 'deny' });
    await bed.until(async () => replies().find(({ id }) => id === 26));
    fromEditor(prompt(4, sessionId));
    fromAgent({ id: 4, ...END });
    expect(await settled(other)).toMatchObject({ status: 'answered', delivery: { state: 'delivered' } });
  });

  it('that answers what the agent has given up is heard', async () => {
    const { ask, asked, answer, replies, fromAgent } = proxied();
    ask(27);
    const [open] = await asked();
    fromAgent({ method: '$/cancel_request', params: { requestId: 27 } });
    expect(await settled(open)).toMatchObject({ status: 'cancelled' });
    answer(27, 'no');
    expect(replies()).toEqual([expect.objectContaining({ id: 27, ...selected('no') })]);
  });

  it('that cancels the turn ends its asks at once, and no allow from here follows', async () => {
    const { ask, asked, replies, notAsked, fromEditor, sessionId } = proxied();
    ask(28);
    const [open] = await asked();
    fromEditor({ method: 'session/cancel', params: { sessionId } });
    ask(29, {}, 'touch late');
    expect(await settled(open)).toMatchObject({ status: 'cancelled' });
    const late = bed.decide(open, { behavior: 'allow' });
    await expect(late).rejects.toMatchObject({
      status: 409,
      detail: expect.stringContaining('cancelled in the editor'),
    });
    expect(await asked(0)).toEqual([]);
    expect(notAsked).toEqual(['its turn was cancelled there']);
    expect(replies()).toEqual([]);
    for (const id of [28, 29]) fromEditor({ id, result: { outcome: { outcome: 'cancelled' } } });
    expect(replies().map(({ id }) => id)).toEqual([28, 29]);
  });

  it('that answers twice is heard once', async () => {
    const { ask, asked, answer, replies } = proxied();
    ask(20);
    await asked();
    answer(20, 'no');
    answer(20, 'yes');
    expect(replies()).toEqual([expect.objectContaining({ id: 20, ...selected('no') })]);
  });

  it('that answers twice what was denied from here is not heard', async () => {
    const { ask, asked, answer, fromEditor, replies, agent, proxy } = proxied();
    ask(21);
    const [open] = await asked();
    await bed.decide(open, { behavior: 'deny' });
    await bed.until(async () => replies()[0]);
    answer(21, 'yes');
    answer(21, 'yes');
    fromEditor({ id: 21, method: null, ...selected('yes') });
    proxy.fromEditor('{"result":{"outcome":{"outcome":"selected","optionId":"yes"}},"id":21.0}');
    expect(agent).toHaveLength(1);
    expect(replies()).toEqual([expect.objectContaining({ id: 21, ...selected('no') })]);
  });

  it('that sends what is not one clear message has it refused: the request stays open, or denied', async () => {
    const { ask, asked, proxy, agent, replies, fromAgent, answer } = proxied();
    fromAgent({ id: 31, method: 'fs/read_text_file', params: {} });
    ask(22);
    const [open] = await asked();
    const allow = '"result":{"outcome":{"outcome":"selected","optionId":"yes"}}';
    const unclear = [
      `{"id":22,${allow}`,
      '',
      `[{"id":22,${allow}}]`,
      `{"id":22,"id":31,${allow}}`,
      `{"id":22,"ID":31,${allow}}`,
      `{"id":22,"method":"x",${allow}}`,
      `{"id":22,"error":{},${allow}}`,
      '{"id":22}',
    ];
    for (const line of unclear) proxy.fromEditor(line);
    expect(agent).toEqual([]);
    expect(await now(open)).toMatchObject({ status: 'pending' });
    await bed.decide(open, { behavior: 'deny' });
    await bed.until(async () => replies()[0]);
    for (const line of unclear) proxy.fromEditor(line);
    expect(replies()).toEqual([expect.objectContaining({ id: 22, ...selected('no') })]);
    // The id of an open request of another method is in use too.
    ask(31);
    answer(31, 'yes');
    expect(agent).toHaveLength(2);
    expect(replies().at(-1)).toMatchObject({ id: 31, error: expect.anything() });
  });

  it('has an id of any size passed on as it was written', async () => {
    const { ask, asked, proxy, agent, editor } = proxied();
    ask('ID');
    const [line = ''] = editor.slice(-1);
    const [first] = await asked();
    proxy.fromEditor('{"id":"ID","result":{}}');
    await settled(first);
    for (const id of ['9007199254740993', '9007199254740992']) proxy.fromAgent(line.replace('"ID"', id));
    const [open] = await asked(2);
    await bed.decide(open, { behavior: 'deny' });
    const reply = await bed.until(async () => agent[1]);
    const id = /"id":(\d+)/.exec(reply)?.[1] ?? '';
    expect(editor.at(-1)).toContain(`"requestId":${id}}`);
    const other = id.endsWith('3') ? '9007199254740992' : '9007199254740993';
    proxy.fromEditor(`{"id":${other},"result":{}}`);
    expect(agent.at(-1)).toContain(other);
  });
});

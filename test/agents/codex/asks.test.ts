// Requests of Codex that do not say what they are about: Holdpoint looks it up, and if it cannot be shown to a person,
// declines with the reason. Transcripts of the real Codex with parts removed.
// Covers: src/agents/codex/active-items.ts, src/agents/codex/file-approval.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { CodexReplay, type Line } from './transcript-replay.ts';

let replay: CodexReplay;
beforeAll(async () => {
  replay = await CodexReplay.open();
});
afterAll(() => replay.close());

const PATCH = { model: 'gpt-5.5', sandbox: 'read-only' };
const isBeginning = (type: string) => (line: Line) =>
  line.message.method === 'item/started' && (line.message.params?.item as { type?: string })?.type === type;
const isRequest = ({ from, message }: Line) =>
  from === 'agent' && message.id !== undefined && message.method !== undefined;

/** Lines before the first request of Codex, that request, and what follows. */
function split(lines: Line[]) {
  const place = lines.findIndex(isRequest);
  const request = lines[place];
  if (!request) throw new Error('nothing is asked');
  return { before: lines.slice(0, place), request, after: lines.slice(place + 1) };
}

/** Holdpoint resumes the thread again: Codex repeats the open request and returns the items of the running turn. */
function lookedUp(request: Line, items: unknown[]): Line[] {
  const params = { threadId: request.message.params?.threadId, excludeTurns: true };
  const initialTurnsPage = { limit: 1, itemsView: 'full' };
  const turn = { id: request.message.params?.turnId, status: 'inProgress', items };
  return [
    {
      from: 'holdpoint',
      message: { jsonrpc: '2.0', id: 4, method: 'thread/resume', params: { ...params, initialTurnsPage } },
    },
    request,
    { from: 'agent', message: { id: 4, result: { initialTurnsPage: { data: [turn] } } } },
  ];
}

/** The model is told why and the request is declined; then the turn ends. */
function declined({ message: { id, params } }: Line, why: string, result: unknown, after: Line[]): Line[] {
  const text = `It was declined, because it could not be shown to the person. ${why}`;
  const steer = { threadId: params?.threadId, expectedTurnId: params?.turnId, input: [{ type: 'text', text }] };
  return [
    { from: 'holdpoint', message: { jsonrpc: '2.0', id: 5, method: 'turn/steer', params: steer } },
    { from: 'agent', message: { id: 5, result: {} } },
    { from: 'holdpoint', message: { jsonrpc: '2.0', id: id as number, result } },
    ...after.filter(({ message }) => message.method === 'turn/completed'),
  ];
}

async function isDeclined(name: string, input: object, change: (lines: Line[]) => Line[], as: string, why: string) {
  const run = await replay.start(name, input, change, as);
  const over = await replay.bed.over(run.run_id);
  expect(over, over.error).toMatchObject({ status: 'completed' });
  expect((await replay.bed.api.asks.list({ run_id: run.run_id })).items).toEqual([]);
  expect(over.outputs.map(({ text }) => text)).toContain(
    `Codex asked for something that cannot be shown, so it was declined: ${why}`,
  );
}

describe('a file change whose item was not reported', () => {
  it('is looked up and asked once', async () => {
    const run = await replay.start(
      'patch-allowed',
      PATCH,
      (lines) => {
        const begun = lines.find(isBeginning('fileChange'));
        const { before, request, after } = split(lines.filter((line) => line !== begun));
        return [...before, request, ...lookedUp(request, [begun?.message.params?.item]), ...after];
      },
      'looked-up',
    );
    const ask = await replay.next(run);
    expect((ask.request as ApprovalRequest).diff).toContain('-before\n+after');
    await replay.bed.decide(ask, { behavior: 'allow' });
    expect(await replay.bed.over(run.run_id)).toMatchObject({ status: 'completed' });
    expect((await replay.bed.api.asks.list({ run_id: run.run_id })).items).toHaveLength(1);
  });

  it('is declined if it cannot be found, and the model is told why', async () => {
    const why = 'Codex did not say what it wants to change.';
    const change = (lines: Line[]) => {
      const { before, request, after } = split(lines.filter((line) => !isBeginning('fileChange')(line)));
      return [...before, request, ...lookedUp(request, []), ...declined(request, why, { decision: 'decline' }, after)];
    };
    await isDeclined('patch-denied', PATCH, change, 'not-found', why);
  });

  it('is declined if it is too long to be shown whole', async () => {
    const why = 'The change is too long to be shown whole (over 400000 characters): make it in smaller ones.';
    const long = { path: '{{folder}}/new.txt', kind: { type: 'add' }, diff: `${'x'.repeat(400_042)}\n` };
    const change = (lines: Line[]) => {
      const begun = lines.find(isBeginning('fileChange'));
      if (begun?.message.params) begun.message.params.item = { type: 'fileChange', id: 'call_Q', changes: [long] };
      const { before, request, after } = split(lines);
      return [...before, request, ...lookedUp(request, []), ...declined(request, why, { decision: 'decline' }, after)];
    };
    await isDeclined('patch-denied', PATCH, change, 'too-long', why);
  });
});

describe('a command approval', () => {
  it('is declined without a command', async () => {
    const why = 'Codex did not say what it wants to run.';
    const change = (lines: Line[]) => {
      const { before, request, after } = split(lines);
      const { command: _, ...params } = request.message.params ?? {};
      const bare: Line = { ...request, message: { ...request.message, params } };
      return [...before, bare, ...lookedUp(bare, []), ...declined(bare, why, { decision: 'decline' }, after)];
    };
    await isDeclined('command-denied', {}, change, 'no-command', why);
  });
});

describe('the approval of an MCP tool without an active call', () => {
  const no = { action: 'decline', content: null, _meta: null };
  const why = 'Codex did not say which tool of demo it wants to use.';

  it.each<[string, (item: Record<string, unknown>) => void]>([
    ['with these arguments', (item) => Object.assign(item, { arguments: { x: 'something else' } })],
    ['by this name', (item) => Object.assign(item, { tool: 'other' })],
    ['at this server', (item) => Object.assign(item, { server: 'another' })],
  ])('%s is declined', async (what, alter) => {
    const change = (lines: Line[]) => {
      const begun = lines.find(isBeginning('mcpToolCall'));
      alter(begun?.message.params?.item as Record<string, unknown>);
      const { before, request, after } = split(lines);
      return [...before, request, ...lookedUp(request, []), ...declined(request, why, no, after)];
    };
    await isDeclined('tool-denied', {}, change, what.replaceAll(' ', '-'), why);
  });
});

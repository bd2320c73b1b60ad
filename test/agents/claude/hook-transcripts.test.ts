// What the hooks of a real Claude Code said at a real terminal, recorded by test/agents/claude-attached.test.ts, said to
// the door again: it replies as it did, and every ask and run ends as it did.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { serveHooks } from '../../../src/agents/claude/attach.ts';
import { HookEvent } from '../../../src/agents/claude/hook-protocol.ts';
import { createClient } from '../../../src/client/client.ts';
import { Waits } from '../../../src/client/waits.ts';
import type { AskView } from '../../../src/core/views.ts';
import { openServer, type Server } from '../../support/server.ts';
import { TestBed } from '../../support/test-bed.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'transcripts', 'claude-hooks');
const Line = z.strictObject({
  n: z.int(),
  event: HookEvent.optional(),
  reply: z.looseObject({ hookSpecificOutput: z.any().optional() }).optional(),
  gone: z.literal(true).optional(),
});

let server: Server;
let stage: TestBed;
let waits: Waits;
beforeAll(async () => {
  server = await openServer();
  stage = new TestBed(await server.url(), server.token);
});
afterAll(async () => {
  waits?.close();
  await server.close();
});

interface Decided {
  behavior: 'allow' | 'deny';
  message?: string;
  updatedInput?: { questions?: { question: string }[]; answers?: Record<string, string> };
}

/** A person who decides as the one did whose decision was recorded. */
async function decideAlike(ask: AskView, { behavior, message, updatedInput }: Decided): Promise<void> {
  if (ask.kind === 'question') {
    const { questions = [], answers = {} } = updatedInput ?? {};
    const given = questions.map(({ question }, i) => ({
      question_id: `question-${i + 1}`,
      freeform_answer: answers[question] ?? '',
    }));
    return void (await stage.answer(ask, ...given));
  }
  if (behavior === 'allow') return void (await stage.decide(ask, { behavior }));
  await stage.decide(ask, { behavior: 'deny', reason: String(message).replace('A person denied this: ', '') });
}

async function replay(name: string): Promise<AskView[]> {
  waits?.close();
  const client = createClient({ url: stage.url, token: (await server.makeToken('worker')).token });
  waits = new Waits(client.http);
  const door = serveHooks({ client, waits });
  const calls = new Map<number, { event: HookEvent; gone: AbortController; replied: Promise<object> }>();
  let session = '';
  for (const line of readFileSync(join(FOLDER, name), 'utf8').trim().split('\n')) {
    const { n, event, reply, gone } = Line.parse(JSON.parse(line));
    if (event) {
      session = `claude.${event.session_id}`;
      const signal = new AbortController();
      const replied = door.handle(event, signal.signal);
      calls.set(n, { event, gone: signal, replied });
      if (event.hook_event_name !== 'PermissionRequest') expect(await replied).toEqual({});
      else await stage.pending(session);
      continue;
    }
    const call = calls.get(n);
    if (!call) throw new Error(`${name}: nothing was said as number ${n}`);
    if (gone) call.gone.abort();
    const decision = reply?.hookSpecificOutput?.decision;
    const [ask] = decision ? await stage.pending(session) : [];
    if (ask) await decideAlike(ask, decision);
    expect(await call.replied).toEqual(reply ?? {});
  }
  await door.close();
  return (await stage.api.asks.list({ session_id: session })).items;
}

const RECORDED: [string, string[][]][] = [
  ['allowed-here', [['toolu_t1', 'answered', 'completed']]],
  [
    'denied-and-answered-here',
    [
      ['toolu_t2', 'answered', 'completed'],
      ['toolu_t3', 'answered', 'completed'],
    ],
  ],
  [
    'allowed-at-the-terminal',
    [
      ['toolu_t4', 'cancelled', 'completed'],
      ['toolu_t4b', 'answered', 'completed'],
      ['toolu_t4q', 'cancelled', 'completed'],
    ],
  ],
  [
    'given-up-at-the-terminal',
    [
      ['toolu_n1', 'cancelled', 'interrupted'],
      ['toolu_n2', 'answered', 'completed'],
    ],
  ],
  ['denied-at-the-terminal', [['toolu_n3', 'cancelled', 'completed']]],
  ['denied-too-late', [['toolu_l1', 'answered', 'completed']]],
  ['sub-agent-allowed-here', [['toolu_s2', 'answered', 'completed']]],
];

it.each(RECORDED)('%s', async (name, expected) => {
  const asks = await replay(`${name}.jsonl`);
  const seen = await Promise.all(
    asks.map(async (ask) => [ask.tool_call_id, ask.status, (await stage.api.runs.get(ask.run_id)).status]),
  );
  expect(seen).toEqual(expected);
});

it('every recording is replayed', () => {
  const recorded = readdirSync(FOLDER).map((file) => basename(file, '.jsonl'));
  expect(recorded.sort()).toEqual(RECORDED.map(([name]) => name).sort());
});

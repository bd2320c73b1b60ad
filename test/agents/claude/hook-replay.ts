// Replays what the hooks of a real Claude Code posted at a real terminal, recorded by test/agents/real, and decides as the
// person did then. The caller says which server receives which event.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import { HookEvent } from '../../../src/agents/claude/hook-protocol.ts';
import type { AskView } from '../../../src/core/views.ts';
import type { TestBed } from '../../support/test-bed.ts';

const FOLDER = join(import.meta.dirname, '..', '..', 'transcripts', 'claude-hooks');
const Line = z.strictObject({
  n: z.int(),
  event: HookEvent.optional(),
  reply: z.looseObject({ hookSpecificOutput: z.any().optional() }).optional(),
  gone: z.literal(true).optional(),
});

export type Post = (event: HookEvent, signal: AbortSignal) => Promise<object>;

interface Decided {
  behavior: 'allow' | 'deny';
  message?: string;
  updatedInput?: { questions?: { question: string }[]; answers?: Record<string, string> };
}

/** By recording: for each ask its call, how it ended, whether its answer was delivered, and how its run ended. */
export const RECORDED: Record<string, string[][]> = {
  'allowed-here': [['toolu_t1', 'answered', 'delivered', 'completed']],
  'denied-and-answered-here': [
    ['toolu_t2', 'answered', 'delivered', 'completed'],
    ['toolu_t3', 'answered', 'delivered', 'completed'],
  ],
  'allowed-at-the-terminal': [
    ['toolu_t4', 'cancelled', 'delivered', 'completed'],
    ['toolu_t4b', 'answered', 'delivered', 'completed'],
    ['toolu_t4q', 'cancelled', 'delivered', 'completed'],
  ],
  'given-up-at-the-terminal': [
    ['toolu_n1', 'cancelled', 'delivered', 'interrupted'],
    ['toolu_n2', 'answered', 'delivered', 'completed'],
  ],
  'denied-at-the-terminal': [['toolu_n3', 'cancelled', 'delivered', 'completed']],
  'denied-too-late': [['toolu_l1', 'answered', 'undeliverable', 'completed']],
  'sub-agent-allowed-here': [['adefb06df699e9308/toolu_s2', 'answered', 'delivered', 'completed']],
};

export const recordings = (): string[] => readdirSync(FOLDER).map((file) => basename(file, '.jsonl'));

/** The asks of the conversation as they ended. `as`: its id, so that one recording can be replayed more than once. */
export async function replayHooks(bed: TestBed, name: string, post: Post, as?: string): Promise<AskView[]> {
  const calls = new Map<number, { gone: AbortController; reply: Promise<object> }>();
  let session = '';
  for (const line of readFileSync(join(FOLDER, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')) {
    const { n, event, reply, gone } = Line.parse(JSON.parse(line));
    if (event) {
      const posted = { ...event, session_id: as ?? event.session_id };
      session = `claude.${posted.session_id}`;
      const signal = new AbortController();
      calls.set(n, { gone: signal, reply: post(posted, signal.signal) });
      if (event.hook_event_name !== 'PermissionRequest') await calls.get(n)?.reply;
      else await bed.pending(session);
      continue;
    }
    const call = calls.get(n);
    if (!call) throw new Error(`${name}: nothing was posted as number ${n}`);
    if (gone) {
      call.gone.abort();
      await bed.pending(session, 0);
    }
    const decision = reply?.hookSpecificOutput?.decision;
    const [ask] = decision ? await bed.pending(session) : [];
    if (ask) await decideAlike(bed, ask, decision);
    if (reply) expect(await call.reply).toEqual(reply);
  }
  return (await bed.api.asks.list({ session_id: session })).items;
}

async function decideAlike(bed: TestBed, ask: AskView, { behavior, message, updatedInput }: Decided): Promise<void> {
  if (ask.kind === 'question') {
    const { questions = [], answers = {} } = updatedInput ?? {};
    const given = questions.map(({ question }, i) => ({
      question_id: `question-${i + 1}`,
      freeform_answer: answers[question] ?? '',
    }));
    return void (await bed.answer(ask, ...given));
  }
  const reason = String(message).replace('A person denied this: ', '');
  await bed.decide(ask, behavior === 'allow' ? { behavior } : { behavior, reason });
}

export const outcomes = (bed: TestBed, asks: readonly AskView[]): Promise<string[][]> =>
  Promise.all(
    asks.map(async ({ tool_call_id, status, delivery, run_id }) => [
      tool_call_id,
      status,
      delivery.state,
      (await bed.api.runs.get(run_id)).status,
    ]),
  );

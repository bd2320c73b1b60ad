// The fixed script that the crash tests interrupt: most of what Holdpoint does, each call with its idempotency key.
// What each step returns is kept; ids of later steps come from there, so that a step can be repeated as it is.
import { messageIdOf } from '../../src/core/id.ts';
import type { Key } from '../../src/gateway/mutate.ts';
import { type OpenGateway, person } from '../support/gateway.ts';
import { QUESTIONS } from './model/steps.ts';

const agent = person('agent');
const lead = person('lead', 'web');
const RED = { answers: [{ question_id: 'colour', selected_option_ids: ['red'] }] };

/** What the steps so far have returned, by name. */
export type Replies = Record<string, Record<string, unknown>>;
export type ScriptStep = [name: string, act: (open: OpenGateway, so: Replies, key: Key) => Promise<unknown>];

const id = (so: Replies, step: string, field = 'run_id') => String(so[step]?.[field]);
const ask = (so: Replies, step: string) => id(so, step, 'ask_id');
const question = (call: string, mode: 'blocking' | 'deferred' | 'form' | 'restart' = 'blocking', more = {}) => ({
  kind: 'question' as const,
  tool_call_id: call,
  mode,
  questions: QUESTIONS,
  ...more,
});
const approval = (call: string) => ({
  kind: 'approval' as const,
  tool_call_id: call,
  tool_name: 'Bash',
  input: { command: 'ls' },
});
const view = async <T>(reply: Promise<{ view: T }>): Promise<T> => (await reply).view;

const post = (text: string, key: Key) => ({
  threadId: 'thr_chat',
  body: { content: [{ type: 'text' as const, text }] },
  actor: lead,
  key,
});

export const SCRIPT: ScriptStep[] = [
  ['parent', ({ gateway }, _, key) => view(gateway.createSession({ session_id: 'parent', agent: 'external' }, key))],
  [
    'child',
    ({ gateway }, _, key) =>
      view(gateway.createSession({ session_id: 'child', agent: 'mock', parent_session_id: 'parent' }, key)),
  ],
  [
    'token',
    ({ gateway }, _, key) => view(gateway.createToken({ scope: 'agent', session_id: 'parent', name: 'a' }, key)),
  ],
  [
    'first',
    ({ gateway }, _, key) =>
      view(gateway.startRun({ sessionId: 'parent', body: { input: { text: 'go' } }, actor: agent, key })),
  ],
  [
    'second',
    ({ gateway }, _, key) =>
      view(gateway.startRun({ sessionId: 'parent', body: { input: { text: 'then' } }, actor: agent, key })),
  ],
  [
    'may I',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'first'), body: approval('c1'), actor: agent, key })),
  ],
  [
    'may I too',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'first'), body: approval('c2'), actor: agent, key })),
  ],
  [
    'which',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'first'), body: question('c3'), actor: agent, key })),
  ],
  [
    'allow both',
    ({ gateway }, so, key) => {
      const resolutions = [
        { request_id: ask(so, 'may I'), behavior: 'allow' as const },
        { request_id: ask(so, 'may I too'), behavior: 'deny' as const, reason: 'no' },
      ];
      return view(gateway.approveForRun({ runId: id(so, 'first'), resolutions, actor: lead, key }));
    },
  ],
  [
    'red',
    ({ gateway }, so, key) =>
      view(
        gateway.answerForRun({
          runId: id(so, 'first'),
          resolution: { request_id: ask(so, 'which'), ...RED },
          actor: lead,
          key,
        }),
      ),
  ],
  ['has it', ({ gateway }, so, key) => view(gateway.acknowledge({ askId: ask(so, 'which'), state: 'delivered', key }))],
  [
    'output',
    ({ gateway }, so, key) =>
      view(gateway.postOutput({ runId: id(so, 'first'), body: { output_id: 'o1', text: 'half' }, actor: agent, key })),
  ],
  [
    'form',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'first'), body: question('c4', 'form'), actor: agent, key })),
  ],
  [
    'filled in',
    ({ gateway }, so, key) =>
      view(
        gateway.answerForRun({
          runId: id(so, 'first'),
          resolution: { request_id: ask(so, 'form'), ...RED },
          actor: lead,
          key,
        }),
      ),
  ],
  [
    'restart',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'filled in'), body: question('c5', 'restart'), actor: agent, key })),
  ],
  [
    'declined',
    ({ gateway }, so, key) =>
      view(
        gateway.answerForRun({
          runId: id(so, 'filled in'),
          resolution: { request_id: ask(so, 'restart'), declined: true },
          actor: lead,
          key,
        }),
      ),
  ],
  [
    'done',
    ({ gateway }, so, key) => view(gateway.completeRun({ runId: id(so, 'declined'), text: 'done', actor: agent, key })),
  ],
  [
    'stopped at',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'second'), body: question('c6'), actor: agent, key })),
  ],
  [
    'cancelled',
    ({ gateway }, so, key) =>
      view(
        gateway.cancelQuestion({
          runId: id(so, 'second'),
          requestId: ask(so, 'stopped at'),
          justification: 'no',
          actor: lead,
          key,
        }),
      ),
  ],
  [
    'work',
    ({ gateway }, _, key) =>
      view(gateway.startRun({ sessionId: 'child', body: { input: { text: 'dig' } }, actor: agent, key })),
  ],
  [
    'claim',
    async ({ gateway }) => {
      const body = { worker_id: 'builtin', agents: [{ name: 'mock', recovery: 'resume' as const }] };
      const claimed = await gateway.waitForWork(body);
      return { run_id: claimed?.run.run_id, status: claimed?.run.status };
    },
  ],
  [
    'clarify',
    ({ gateway }, so, key) =>
      view(
        gateway.clarify({
          runId: id(so, 'claim'),
          body: { tool_call_id: 'c7', questions: QUESTIONS },
          actor: agent,
          key,
        }),
      ),
  ],
  [
    'clarified',
    ({ gateway }, so, key) =>
      view(
        gateway.answerForSession({
          sessionId: 'parent',
          resolution: { request_id: id(so, 'clarify', 'request_id'), ...RED },
          actor: lead,
          key,
        }),
      ),
  ],
  [
    'fetched',
    ({ gateway }, so, key) =>
      view(gateway.acknowledgeMessage('child', messageIdOf(id(so, 'clarify', 'request_id')), key)),
  ],
  [
    'deferred',
    ({ gateway }, so, key) =>
      view(
        gateway.raiseAsk({
          runId: id(so, 'claim'),
          body: question('c8', 'deferred', { expires_after_ms: 5_000 }),
          actor: agent,
          key,
        }),
      ),
  ],
  [
    'time passes',
    async (open, so) => {
      if (open.now < DEADLINE) open.advance(DEADLINE - open.now);
      await open.sweep();
      return open.gateway.showRun(id(so, 'claim'));
    },
  ],
  [
    'last',
    ({ gateway }, _, key) => view(gateway.startRun({ sessionId: 'parent', body: { input: {} }, actor: agent, key })),
  ],
  ['end', ({ gateway }, _, key) => view(gateway.endSession({ sessionId: 'parent', actor: lead, key }))],
  ['chat', ({ gateway }, _, key) => view(gateway.createSession({ session_id: 'chat', agent: 'external' }, key))],
  ['begin', ({ gateway }, _, key) => view(gateway.postToThread(post('fix it', key)))],
  ['and', ({ gateway }, _, key) => view(gateway.postToThread(post('and this', key)))],
  ['too', ({ gateway }, _, key) => view(gateway.postToThread(post('and that', key)))],
  [
    'sure',
    ({ gateway }, so, key) =>
      view(gateway.raiseAsk({ runId: id(so, 'begin'), body: approval('c9'), actor: agent, key })),
  ],
  ['yes', ({ gateway }, _, key) => view(gateway.postToThread(post('yes', key)))],
  ['heard', ({ gateway }, so, key) => view(gateway.acknowledge({ askId: ask(so, 'sure'), state: 'delivered', key }))],
  [
    'so',
    ({ gateway }, so, key) => view(gateway.completeRun({ runId: id(so, 'begin'), text: 'so', actor: agent, key })),
  ],
  ['next', ({ gateway }, so) => gateway.showInput(id(so, 'too'), lead)],
];

const DEADLINE = 1_800_000_005_000;

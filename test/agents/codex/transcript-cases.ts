// Lists the transcripts recorded from the real Codex, with what a person is shown and does in each: the same as in the
// tests against the binary, which recorded them.
import { expect } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import type { TestBed } from '../../support/test-bed.ts';

type Decide = (bed: TestBed, ask: AskView) => Promise<unknown>;
export interface Case {
  input?: object;
  /** What is shown in each ask, in order, and what the person does. */
  asks: [shown: object, decide: Decide][];
  /** How many of them are open at once, in any order. */
  together?: number;
  ends?: object;
}

/** Whether an ask shows this. */
export function shows({ request }: AskView, shown: object): boolean {
  try {
    expect(request).toMatchObject(shown);
    return true;
  } catch {
    return false;
  }
}

const allow: Decide = (bed, ask) => bed.decide(ask, { behavior: 'allow' });
const allowFor =
  (...suggestion_ids: string[]): Decide =>
  (bed, ask) =>
    bed.decide(ask, { behavior: 'allow', suggestion_ids });
const deny =
  (reason?: string): Decide =>
  (bed, ask) =>
    bed.decide(ask, { behavior: 'deny', ...(reason && { reason }) });
type Fields = Record<string, unknown>;
const change =
  (to: (input: Fields) => Fields): Decide =>
  (bed, ask) =>
    bed.decide(ask, { behavior: 'allow', updated_input: to((ask.request as { input: Fields }).input) });
const answer =
  (...answers: Parameters<TestBed['answer']>[1][]): Decide =>
  (bed, ask) =>
    bed.answer(ask, ...answers);
const decline =
  (why: string): Decide =>
  (bed, ask) =>
    bed.decline(ask, why);
const picked = (question_id: string, ...options: number[]) => ({
  question_id,
  selected_option_ids: options.map((option) => `option-${option}`),
});
const typed = (question_id: string, freeform_answer: string) => ({ question_id, freeform_answer });

const command = (text: string) => ({ tool_name: 'Bash', input: { command: text } });
const PATCH = { model: 'gpt-5.5', sandbox: 'read-only' };
const NO_TMP = { sandbox_workspace_write: { exclude_slash_tmp: true, exclude_tmpdir_env_var: true } };
const NET = {
  sandbox: undefined,
  config: {
    default_permissions: 'net',
    permissions: {
      net: { extends: ':workspace', network: { enabled: true, mode: 'full', allow_local_binding: true } },
    },
  },
};
const connection = (host: string) => ({
  tool_name: 'network',
  input: { network: { host, protocol: 'http', port: 80 } },
});
const demoTool = (name: string, x: string) => ({ tool_name: `mcp__demo__${name}`, input: { x } });
const READ_ONLY = { sandbox: 'read-only' };
const PLAN = { mode: 'plan' };
const INPUT = { questions: [{ id: 'db', header: 'Database' }, { id: 'name' }] };
const FORM = {
  context: 'demo: Deploy where?',
  questions: [{ id: 'count' }, { id: 'dry' }, { id: 'note' }, { id: 'region' }],
};
const TOOL = { questions: [{ question: 'Ship it?' }, { multi_select: true }, { options: [] }] };
const region = picked('region', 2);

export const CASES: Record<string, Case> = {
  'command-allowed': { asks: [[{ ...command('echo hi > a.txt'), reason: 'Need it' }, allow]] },
  'command-denied': { asks: [[command('touch b.txt'), deny('use git mv instead')]] },
  'command-refused': { asks: [[command('touch c.txt'), deny()]] },
  'command-session': {
    asks: [
      [{ ...command('date >> d.txt'), suggestions: [{ id: 'session' }, { id: 'prefix' }] }, allowFor('session')],
      [command('date >> d.txt; touch e.txt'), deny()],
      [command('date >> d.txt'), deny()],
    ],
  },
  'command-prefix': {
    asks: [
      [{ ...command('touch p1.txt'), suggestions: [{}, { prefix: ['touch', 'p1.txt'] }] }, allowFor('prefix')],
      [command('touch p3.txt'), deny()],
      [command('touch p1.txt; touch p4.txt'), deny()],
    ],
  },
  'command-parallel': {
    together: 3,
    asks: [
      [command('echo g > g.txt'), deny('not g')],
      [command('echo h > h.txt'), allow],
      [command('echo i > i.txt'), allow],
    ],
  },
  'command-changed': {
    asks: [
      [command('echo all > f.txt'), change((input) => ({ ...input, command: 'echo some > f.txt' }))],
      [command('echo some > f.txt'), deny()],
    ],
  },
  'command-cancelled': {
    asks: [[command('touch j.txt'), (bed, ask) => bed.api.runs.cancel(ask.run_id, { reason: 'not today' })]],
    ends: { status: 'cancelled' },
  },
  'patch-allowed': {
    input: PATCH,
    asks: [
      [
        {
          tool_name: 'apply_patch',
          input: { files: [{ path: 'gone.txt' }, { path: 'new.txt' }, { path: 'old.txt' }] },
        },
        allow,
      ],
    ],
  },
  'patch-denied': { input: PATCH, asks: [[{ tool_name: 'apply_patch' }, deny('keep the old file')]] },
  'patch-session': {
    input: PATCH,
    asks: [
      [{ tool_name: 'apply_patch', input: { path: 'old.txt' } }, allowFor('session')],
      [{ tool_name: 'apply_patch', input: { files: [{ path: 'gone.txt' }, { path: 'old.txt' }] } }, deny()],
    ],
  },
  'permissions-allowed': {
    input: { ...READ_ONLY, config: NO_TMP },
    asks: [[{ tool_name: 'request_permissions', reason: 'need the cache' }, allowFor('session')]],
  },
  'permissions-some': {
    input: READ_ONLY,
    asks: [
      [
        { tool_name: 'request_permissions' },
        change((input) => ({ ...input, permissions: { network: (input.permissions as Fields).network } })),
      ],
    ],
  },
  'permissions-denied': {
    input: { ...READ_ONLY, config: NO_TMP },
    asks: [[{ tool_name: 'request_permissions' }, deny('no network here')]],
  },
  'input-answered': {
    input: PLAN,
    asks: [[INPUT, answer({ ...picked('db', 2), freeform_answer: 'for now' }, typed('name', 'Gamma'))]],
  },
  'input-declined': { input: PLAN, asks: [[INPUT, decline('decide yourself')]] },
  'input-cancelled': {
    input: PLAN,
    asks: [[INPUT, (bed, ask) => bed.api.questions.cancel(ask.run_id, ask.ask_id)]],
    ends: { status: 'cancelled' },
  },
  'tool-answered': {
    asks: [[TOOL, answer(picked('question-1', 1), picked('question-2', 1, 3), typed('question-3', 'carefully'))]],
  },
  'tool-declined': { asks: [[TOOL, decline('ask mate')]] },
  'tool-nonsense': { asks: [] },
  'later-answered': {
    input: { model: 'gpt-6-sol' },
    asks: [[{ questions: [{ question: 'Which colour?' }] }, answer(picked('question-1', 2))]],
  },
  'form-answered': {
    asks: [
      [FORM, answer(region, typed('count', 'many'))],
      [{ questions: FORM.questions }, answer(region, typed('count', '3'), picked('dry', 1))],
    ],
  },
  'form-declined': { asks: [[FORM, decline('not now')]] },
  'page-visited': { asks: [[{ input: { url: 'https://example.com/sign-in' } }, allow]] },
  'tool-allowed': {
    asks: [
      [demoTool('plain', 'one'), allow],
      [demoTool('plain', 'two'), allowFor('session')],
      [demoTool('other', 'one'), deny()],
    ],
  },
  'tool-denied': { asks: [[demoTool('plain', 'four'), deny('ask mate first')]] },
  'tool-parallel': {
    together: 4,
    asks: [
      [demoTool('plain', 'a'), allow],
      [demoTool('other', 'a'), deny()],
      [demoTool('plain', 'b'), deny()],
      [demoTool('plain', 'b'), deny()],
    ],
  },
  'tool-always': { asks: [[demoTool('other', 'first'), allowFor('always')]] },
  'tool-trusted': { asks: [[demoTool('plain', 'fifth'), deny()]] },
  'sub-agent-asks-too': {
    together: 2,
    asks: [
      [
        { ...command('echo sub > sub.txt'), lineage: [expect.stringMatching(/^worker .+: Do small-part$/)] },
        deny('the main one does it'),
      ],
      [command('echo main > main.txt'), allow],
    ],
  },
  'sub-agent-after': {
    asks: [[{ ...command('echo sub > sub.txt'), lineage: [expect.stringMatching(/^worker/)] }, allow]],
  },
  'network-once': {
    input: NET,
    asks: [
      [connection('one.invalid'), allow],
      [connection('one.invalid'), deny('once is enough')],
    ],
  },
  'network-kept': {
    input: NET,
    asks: [
      [connection('one.invalid'), allowFor('session')],
      [connection('two.invalid'), allowFor('host-1')],
      [connection('three.invalid'), deny()],
    ],
  },
  terminal: {
    asks: [
      [command('cat > typed.txt'), allow],
      [{ tool_name: 'write_stdin', input: { terminal: 'cat > typed.txt' } }, allow],
      [{ tool_name: 'write_stdin' }, deny('one is enough')],
      [{ tool_name: 'write_stdin' }, allow],
    ],
  },
};

/** What was recorded from an attached Codex. Answered at its own prompt, an ask may be over before anybody saw it here. */
export const ATTACHED: Record<string, Case & { isAnsweredThere?: boolean }> = {
  'own-input': { asks: [[{ questions: [{ id: 'db' }] }, answer(picked('db', 2))]] },
  'own-input-declined': { asks: [[{ questions: [{ id: 'db' }] }, decline('you choose')]] },
  'own-input-there': { asks: [], isAnsweredThere: true },
  'own-form': { asks: [[FORM, answer(picked('region', 1), typed('count', '2'))]] },
  'own-form-there': { asks: [], isAnsweredThere: true },
  'own-tool': {
    asks: [
      [demoTool('plain', 'one'), allowFor('session')],
      [demoTool('other', 'three'), deny('plain is enough')],
    ],
  },
  'own-session': {
    asks: [
      [command('date >> a.txt'), allowFor('session')],
      [command('date >> a.txt; touch b.txt'), deny()],
    ],
  },
  'own-parallel': { asks: [[command('echo x > x.txt'), allow]], isAnsweredThere: true },
  'own-permissions': {
    asks: [
      [
        { tool_name: 'request_permissions' },
        change((input) => ({ ...input, permissions: { network: (input.permissions as Fields).network } })),
      ],
    ],
  },
  'own-interrupted': { asks: [], isAnsweredThere: true },
  'own-hooked': { asks: [[command('echo hi > d.txt'), allow]] },
  'own-sub-agent': {
    asks: [[{ ...command('echo sub > sub.txt'), lineage: ['Do this: own-sub-agent', expect.any(String)] }, allow]],
  },
};

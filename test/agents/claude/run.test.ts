// Claude Code's translation, against what the real one said: each transcript was recorded from a run of the pinned
// binary. A person decides as then; whatever Holdpoint says to Claude Code must be what it said then, to the letter.
// Covers: src/agents/claude/agent.ts, src/agents/claude/input.ts, src/agents/claude/launch.ts
// Covers: src/agents/claude/outputs.ts, src/agents/claude/requests.ts, src/agents/claude/form.ts
// Covers: src/agents/kit/run-input.ts
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import type { TestBed } from '../../support/test-bed.ts';
import { standInForAll } from '../stand-in.ts';

const transcripts = join(import.meta.dirname, '..', '..', 'transcripts', 'claude');
const standIn = standInForAll('replay-agent.mjs');

type Decide = (ask: AskView) => Promise<unknown>;
type Given = Parameters<TestBed['answer']>[1];
const allow: Decide = (ask) => standIn.bed.decide(ask, { behavior: 'allow' });
const refuse =
  (reason: string): Decide =>
  (ask) =>
    standIn.bed.decide(ask, { behavior: 'deny', reason });
const choose =
  (...given: Given[]): Decide =>
  (ask) =>
    standIn.bed.answer(ask, ...given);
const option = (n: number, freeform_answer?: string): Given => ({
  question_id: 'question-1',
  selected_option_ids: [`option-${n}`],
  ...(freeform_answer && { freeform_answer }),
});

const deployTo = (machines: string): Decide =>
  choose(
    { question_id: 'region', selected_option_ids: ['option-1'] },
    { question_id: 'count', freeform_answer: machines },
  );

/** What is shown and what the person does, for each ask in order. */
const CASES: Record<string, { input?: object; asks: [shown: object, decide: Decide][] }> = {
  'approval-allowed': {
    input: { text: 'make x' },
    asks: [[{ tool_name: 'Bash', input: { command: 'touch x' }, reason: 'make it' }, allow]],
  },
  'approval-changed': {
    asks: [
      [
        { tool_name: 'Bash' },
        (ask) => {
          const updated_input = { command: 'touch y && echo made y', description: 'make another' };
          return standIn.bed.decide(ask, { behavior: 'allow', updated_input });
        },
      ],
    ],
  },
  'approval-denied': {
    asks: [[{ tool_name: 'Bash' }, refuse('use the staging database')]],
  },
  'approval-always': {
    asks: [
      [
        { suggestions: [{ id: 'session-0', label: 'Do not ask again in this session for Bash(touch x *)' }] },
        (ask) => {
          const resolution = { request_id: ask.ask_id, behavior: 'allow' as const, suggestion_ids: ['session-0'] };
          return standIn.bed.api.approvals.decideRun(ask.run_id, { resolutions: [resolution] });
        },
      ],
      [{ input: { command: 'touch x && touch evil' } }, refuse('not toolu_wider')],
      [{ input: { command: 'touch other' } }, refuse('not toolu_beyond')],
      [{ tool_name: 'Write' }, refuse('not toolu_write')],
    ],
  },
  'question-one': { asks: [[{ questions: [{ question: 'Which database?', required: true }] }, choose(option(2))]] },
  'question-preview': {
    asks: [
      [{ questions: [{ options: [{ preview: 'db.sqlite' }, {}] }] }, choose(option(1, 'version 3'))],
      [{}, choose({ question_id: 'question-1', freeform_answer: 'neither, use DuckDB' })],
    ],
  },
  'questions-several': {
    asks: [
      [
        { questions: [{ required: false }, { multi_select: true }, { header: 'Layout' }] },
        choose(option(1), {
          question_id: 'question-2',
          selected_option_ids: ['option-1', 'option-2'],
          freeform_answer: 'and a map',
        }),
      ],
    ],
  },
  'question-declined': { asks: [[{}, (ask) => standIn.bed.decline(ask, 'you know better')]] },
  'question-beside-a-call': {
    input: { patience_ms: 0 },
    asks: [
      [{ questions: [{}] }, choose(option(1))],
      [{ tool_name: 'Bash' }, allow],
    ],
  },
  'question-held': {
    input: { patience_ms: 1000 },
    asks: [
      [
        { questions: [{ question: 'Which colour?' }] },
        async (ask) => {
          await standIn.bed.until(async () => (await standIn.bed.events(ask.session_id, 'run.released'))[0]);
          return choose(option(2))(ask);
        },
      ],
    ],
  },
  'plan-allowed': {
    input: { permission_mode: 'plan' },
    asks: [
      [{ tool_name: 'ExitPlanMode', reason: '1. paint it' }, allow],
      [{ tool_name: 'Write' }, allow],
    ],
  },
  'sub-agent': { input: { text: 'MAIN-ONE' }, asks: [[{ lineage: ['general-purpose: find it'] }, allow]] },
  'sub-agent-nested': {
    input: { text: 'MAIN-TWO' },
    asks: [[{ lineage: ['general-purpose: the outer', 'general-purpose: the inner'] }, refuse('not in here')]],
  },
  'sub-agents-two': {
    input: { text: 'MAIN-THREE' },
    asks: [
      [
        {},
        async ({ session_id }) => {
          const asks = await standIn.bed.pending(session_id, 2);
          const updated_input = { command: 'touch changed', description: 'd' };
          const change: Decide = (ask) => standIn.bed.decide(ask, { behavior: 'allow', updated_input });
          const right = 'general-purpose: right';
          for (const ask of asks) await (ask.request.lineage?.[0] === right ? change : refuse('only the right'))(ask);
        },
      ],
    ],
  },
  'background-sub-agent': {
    input: { text: 'MAIN-BG', hold: 'everything', patience_ms: 0 },
    asks: [
      [
        {},
        async ({ session_id, run_id }) => {
          const asks = await standIn.bed.pending(session_id, 2);
          const of = (kind: AskView['kind']) => asks.find((ask) => ask.kind === kind) as AskView;
          expect(of('approval').request.lineage).toEqual(['general-purpose: do SUBWORK']);
          expect(of('question').mode).toBe('blocking');
          await choose(option(2))(of('question'));
          // It has ended its turn, and is still there.
          await standIn.bed.until(async () =>
            (await standIn.bed.api.runs.get(run_id)).outputs.find((o) => o.type === 'status'),
          );
          await allow(of('approval'));
        },
      ],
    ],
  },
  'form-answered': {
    input: { permission_mode: 'acceptEdits', ask_tools: true },
    asks: [
      [
        { questions: [{ id: 'colour', options: [{ value: 'r' }, { label: 'Blue' }] }] },
        async (ask) => {
          const form = { type: 'interactive_form_question' as const, tool_use_id: ask.tool_call_id };
          const answers = { colour: 'Blue' };
          const answer = { interactive_form_answer: { ...form, status: 'answered' as const, answers } };
          await standIn.bed.api.sessions.say(ask.session_id, answer);
          const next = await standIn.bed.carriedOn(await standIn.bed.over(ask.run_id));
          expect(next, next.error).toMatchObject({ status: 'completed' });
          expect(next.outputs.at(-1)?.text).toBe('Blue it is.');
        },
      ],
    ],
  },
  elicitations: {
    asks: [
      [{ context: 'demo: Deploy where?', questions: [{ id: 'region' }, {}, {}, {}] }, deployTo('99')],
      [{ context: expect.stringContaining('“Machines” must be a whole number from 1 to 9.') }, deployTo('3')],
      [{ context: 'demo: Deploy where?' }, (ask) => standIn.bed.decline(ask, 'not today')],
      [{ tool_name: 'mcp__demo', input: { url: 'https://example.com/sign-in' } }, allow],
      [{ tool_name: 'mcp__demo', input: { message: 'Really?' } }, allow],
      [{ input: { message: 'Really?' } }, refuse('no')],
    ],
  },
  'form-refused': { input: { ask_tools: true }, asks: [] },
};

describe('Claude Code, played again', () => {
  it.each(Object.entries(CASES))('%s', async (name, { input, asks }) => {
    process.env.TRANSCRIPT = join(transcripts, `${name}.jsonl`);
    const folder = join(standIn.root, name);
    mkdirSync(folder);
    const session = await standIn.bed.api.sessions.create({ agent: 'claude', work_folder: folder });
    const run = await standIn.bed.api.runs.start(session.session_id, { input: { text: 'go', ...input } });
    for (const [shown, decide] of asks) {
      const ask = await standIn.bed.until(async () => {
        const { finished_at_ms, error } = await standIn.bed.api.runs.get(run.run_id);
        if (finished_at_ms !== undefined) throw new Error(`the run is over without the ask: ${error}`);
        return (await standIn.bed.api.asks.list({ run_id: run.run_id, status: 'pending' })).items[0];
      });
      expect(ask.request).toMatchObject(shown);
      await decide(ask);
    }
    const over = await standIn.bed.over(run.run_id);
    expect(over, over.error).toMatchObject({ status: 'completed' });
  });

  it('plays every transcript that was recorded', () => {
    const recorded = readdirSync(transcripts).map((file) => file.replace(/(\.resumed)?\.jsonl$/, ''));
    expect(recorded.filter((name) => !(name in CASES))).toEqual([]);
  });
});

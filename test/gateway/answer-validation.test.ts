// The order in which an answer is validated is part of the contract: each payload below is wrong in two ways, and the
// earlier fault is reported. Then what counts as an answer at all.
// Covers: src/gateway/answer.ts, src/core/answer.ts
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../src/core/errors.ts';
import {
  answer,
  type Held,
  held,
  NOTES,
  ok,
  picks,
  REGIONS,
  ROUTING,
  refusal,
  resolution,
  showAsk,
} from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const server = serverForAll();

const UNKNOWN = { question_id: 'budget', freeform_answer: '10' };
const EMPTY_NOTES = { question_id: 'notes' };
const regions = (...ids: string[]) => ({ question_id: 'regions', selected_option_ids: ids });
const routing = (...ids: string[]) => ({ question_id: 'routing', selected_option_ids: ids });

/** What is wrong twice, and which of the two is told. */
const ORDER: [name: string, code: ErrorCode, answers: unknown[], declined?: boolean][] = [
  [
    'declined with answers before a doubled answer',
    'question_declined_with_answers',
    [routing('x'), routing('x')],
    true,
  ],
  ['a doubled answer before a missing one', 'question_duplicate_answer', [regions('eu'), regions('eu')]],
  ['a doubled unknown answer is doubled first', 'question_duplicate_answer', [UNKNOWN, UNKNOWN]],
  ['missing in the first question before an error in the second', 'question_answer_missing', [regions('eu', 'eu')]],
  [
    'the first question before the second, whatever the order sent',
    'question_option_not_found',
    [EMPTY_NOTES, regions('eu', 'eu'), routing('x')],
  ],
  [
    'several on single select before an option twice',
    'question_single_select_violation',
    [routing('openai', 'openai')],
  ],
  ['several on single select before an unknown option', 'question_single_select_violation', [routing('x', 'y')]],
  [
    'walking the options: a repeat that comes first',
    'question_duplicate_option',
    [routing('openai'), regions('eu', 'eu', 'x')],
  ],
  [
    'walking the options: an unknown one that comes first',
    'question_option_not_found',
    [routing('openai'), regions('x', 'eu', 'eu')],
  ],
  [
    'walking the options: an unknown one twice is not found first',
    'question_option_not_found',
    [routing('openai'), regions('x', 'x')],
  ],
  [
    'an unknown option before an empty answer further on',
    'question_option_not_found',
    [routing('x'), regions('eu'), EMPTY_NOTES],
  ],
  [
    'an empty answer before one for an unknown question',
    'question_answer_empty',
    [routing('openai'), regions('eu'), EMPTY_NOTES, UNKNOWN],
  ],
  [
    'a missing answer before one for an unknown question',
    'question_answer_missing',
    [routing('openai'), regions('eu'), UNKNOWN],
  ],
];

const send = (h: Held, answers: unknown, more = {}) =>
  server.post(`/v1/runs/${h.runId}/questions`, resolution(h.ask.ask_id, answers, more));

describe('the first fault', () => {
  it.each(ORDER)('reports %s: %s', async (_name, code, answers, isDeclined) => {
    const h = await held(server, { questions: [ROUTING, REGIONS, NOTES] });
    await refusal(send(h, answers, isDeclined ? { declined: true } : {}), 400, code);
    const path = `/v1/sessions/${h.sessionId}/questions`;
    const viaSession = server.post(path, resolution(h.ask.ask_id, answers, isDeclined ? { declined: true } : {}));
    await refusal(viaSession, 400, code);
  });

  it('reports a wrong request id before any other fault', async () => {
    const h = await held(server);
    const body = resolution('question-9', [routing('x'), routing('x')], { declined: true });
    await refusal(server.post(`/v1/runs/${h.runId}/questions`, body), 400, 'question_request_mismatch');
  });

  it('reports a passed deadline before a faulty payload', async () => {
    const h = await held(server, { expires_after_ms: 1 });
    server.advance(1);
    await refusal(send(h, [UNKNOWN, UNKNOWN]), 409, 'question_expired');
  });

  it('reports an earlier answer before a faulty payload', async () => {
    const h = await held(server);
    await ok(send(h, picks('openai')));
    await refusal(send(h, [UNKNOWN, UNKNOWN]), 409, 'question_state_conflict');
  });
});

describe('what is an answer', () => {
  it.each(['0', 'false', 'null', 'undefined', 'NaN', ' x ', '👍', 'ל', '-'])(
    'accepts the free text %j as it is',
    async (text) => {
      const h = await held(server, { questions: [NOTES] });
      await ok(send(h, [{ question_id: 'notes', freeform_answer: text }]));
      const ask = await showAsk(server, h.ask.ask_id);
      expect(ask.answer?.answers).toEqual([{ question_id: 'notes', freeform_answer: text }]);
    },
  );

  it.each(['', ' ', '\t\r\n', '\u00a0\u2003'])('refuses white space alone (%j) as an empty answer', async (text) => {
    const h = await held(server, { questions: [NOTES] });
    await refusal(send(h, [{ question_id: 'notes', freeform_answer: text }]), 400, 'question_answer_empty');
    const empty = [{ question_id: 'notes', selected_option_ids: [], freeform_answer: text }];
    await refusal(send(h, empty), 400, 'question_answer_empty');
  });

  it('takes null for free text as absent, which is no answer', async () => {
    const h = await held(server, { questions: [NOTES] });
    await refusal(send(h, [{ question_id: 'notes', freeform_answer: null }]), 400, 'question_answer_empty');
  });

  it.each([0, false, ['x'], {}])('refuses free text that is not a string (%j) and names the field', async (value) => {
    const h = await held(server, { questions: [NOTES] });
    const problem = await refusal(send(h, [{ question_id: 'notes', freeform_answer: value }]), 400, 'invalid_request');
    expect(problem.detail).toContain('freeform_answer');
  });

  it('takes an option by its id, not by its label or value', async () => {
    const h = await held(server);
    const problem = await refusal(send(h, picks('OpenAI')), 400, 'question_option_not_found');
    expect(problem.detail).toContain('openai, local');
  });

  it('refuses an option of a question without options', async () => {
    const h = await held(server, { questions: [NOTES] });
    await refusal(send(h, picks('x', 'notes')), 400, 'question_option_not_found');
  });

  it('refuses free text where allow_other is false', async () => {
    const h = await held(server, { questions: [{ ...ROUTING, allow_other: false }] });
    await refusal(send(h, [{ question_id: 'routing', freeform_answer: 'both' }]), 400, 'question_option_not_found');
    await ok(send(h, picks('local')));
  });

  it('refuses an empty answer to an optional question', async () => {
    const h = await held(server, { questions: [ROUTING, { ...NOTES, required: false }] });
    await refusal(send(h, [...picks('local'), EMPTY_NOTES]), 400, 'question_answer_empty');
  });

  it('accepts options and questions whose ids are "0" or "false"', async () => {
    const options = [
      { id: '0', label: '0', value: '' },
      { id: 'false', label: 'false' },
    ];
    const h = await held(server, { questions: [{ id: '0', question: '0', options }] });
    await ok(answer(server, h, picks('0', '0')));
    expect((await showAsk(server, h.ask.ask_id)).answer?.answers).toEqual(picks('0', '0'));
  });
});

// Questions at the door, with the published SDK: what is listed of a set, and what its replies become.
import { expect, it } from 'vitest';
import type { RunView } from '../../../src/core/views.ts';
import { clarify, family, held, NOTES, ok, REGIONS, ROUTING, raiseApproval, showAsk } from '../../support/api-calls.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { follow, permissionId, questionId, sdk } from './test-bed.ts';

const server = serverForAll();

it('lists questions and takes labels and texts as their answers', async () => {
  const questions = [ROUTING, REGIONS, { ...NOTES, required: false }];
  const h = await held(server, { questions, context: 'For the new cluster.' }, { work_folder: '/srv/questions' });
  const client = await sdk(server, { directory: '/srv/questions' });
  const { data } = await client.question.list();
  expect(data).toEqual([
    {
      id: questionId(h.ask.ask_id),
      sessionID: h.sessionId,
      questions: [
        {
          question: 'For the new cluster.\n\nWhich provider?',
          header: 'Routing',
          options: [
            { label: 'OpenAI', description: 'fast' },
            { label: 'Local', description: '' },
          ],
          multiple: false,
          custom: true,
        },
        expect.objectContaining({ question: 'Which regions?', multiple: true }),
        expect.objectContaining({ question: 'Anything else?', options: [] }),
      ],
    },
  ]);
  const requestID = questionId(h.ask.ask_id);
  const missing = await client.question.reply({ requestID, answers: [['OpenAI']] });
  expect([missing.response?.status, missing.error]).toMatchObject([400, { name: 'BadRequest' }]);
  expect(
    (await client.question.reply({ requestID, answers: [['Local'], ['Asia', 'Europe', 'the moon'], []] })).data,
  ).toBe(true);
  expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({
    surface: 'opencode',
    answers: [
      { question_id: 'routing', selected_option_ids: ['local'] },
      { question_id: 'regions', selected_option_ids: ['as', 'eu'], freeform_answer: 'the moon' },
    ],
  });
  const again = await client.question.reply({ requestID, answers: [['Local'], ['Asia'], []] });
  expect(again.error).toEqual({
    _tag: 'QuestionNotFoundError',
    requestID,
    message: `Question request not found: ${requestID}`,
  });
});

it('declines a question that is rejected', async () => {
  const h = await held(server);
  const client = await sdk(server);
  const requestID = questionId(h.ask.ask_id);
  expect((await client.question.reject({ requestID })).data).toBe(true);
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('declined');
  expect((await client.question.reject({ requestID })).response?.status).toBe(404);
});

it('answers a form, and the next run carries the answer on', async () => {
  const h = await held(server, { mode: 'form', questions: [ROUTING] });
  const client = await sdk(server);
  const requestID = questionId(h.ask.ask_id);
  expect((await client.question.list()).data?.map(({ id }) => id)).toContain(requestID);
  expect((await client.question.reply({ requestID, answers: [['OpenAI']] })).data).toBe(true);
  const runs = await ok(server.get<RunView[]>(`/v1/runs?session_id=${h.sessionId}`));
  expect(runs.map(({ resumes_run_id }) => resumes_run_id)).toEqual([undefined, h.runId]);
});

it('answers what a child session asks its parent', async () => {
  const { childRunId } = await family(server);
  const { request_id } = await clarify(server, childRunId);
  const client = await sdk(server);
  expect((await client.question.reply({ requestID: questionId(request_id), answers: [['OpenAI']] })).data).toBe(true);
  expect((await showAsk(server, request_id)).status).toBe('answered');
});

it('does not list a set with a secret question and cannot be made to answer or reject it', async () => {
  const secret = { id: 'key', question: 'The API key?', secret: true };
  const h = await held(server, { questions: [secret] }, { work_folder: '/srv/secret' });
  const client = await sdk(server, { directory: '/srv/secret' });
  const stream = await follow(client);
  expect((await client.question.list()).data).toEqual([]);
  const requestID = questionId(h.ask.ask_id);
  expect((await client.question.reply({ requestID, answers: [['hunter2']] })).response?.status).toBe(404);
  expect((await client.question.reject({ requestID })).response?.status).toBe(404);
  expect((await showAsk(server, h.ask.ask_id)).status).toBe('pending');
  const answers = [{ question_id: 'key', freeform_answer: 'hunter2' }];
  await ok(server.post(`/v1/runs/${h.runId}/questions`, { resolution: { request_id: h.ask.ask_id, answers } }));
  const after = await raiseApproval(server, h.runId);
  await stream.until('permission.asked', ({ properties }) => properties.id === permissionId(after.ask_id));
  expect(stream.events.filter(({ type }) => type.startsWith('question.'))).toEqual([]);
  expect(JSON.stringify(stream.events)).not.toContain('hunter2');
  stream.stop();
});

it('takes a label as it is shown, and refuses one that reads as two options', async () => {
  const options = ['a\u200bb', 'a<U+200B>b', 'c\u200bd'].map((label, i) => ({ id: `o${i}`, label }));
  const h = await held(server, { questions: [{ id: 'odd', question: 'Which?', options }] });
  const client = await sdk(server);
  const requestID = questionId(h.ask.ask_id);
  const asked = (await client.question.list()).data?.find(({ id }) => id === requestID);
  expect(asked?.questions[0]?.options.map(({ label }) => label)).toEqual(['a<U+200B>b', 'a<U+200B>b', 'c<U+200B>d']);
  expect((await client.question.reply({ requestID, answers: [['a<U+200B>b']] })).response?.status).toBe(400);
  expect((await client.question.reply({ requestID, answers: [['c<U+200B>d']] })).data).toBe(true);
  expect((await showAsk(server, h.ask.ask_id)).answer).toMatchObject({ answers: [{ selected_option_ids: ['o2'] }] });
});

// Bad input at the door: each call is refused with a body of OpenCode's, decides nothing, and is no defect of the server.
import { expect, it } from 'vitest';
import { BODIES, PATH_IDS, QUERY_VALUES, VALUES } from '../../fuzz/nasty.ts';
import { held, showAsk } from '../../support/api-calls.ts';
import type { Reply } from '../../support/server.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { permissionId, questionId } from './test-bed.ts';

const server = serverForAll();

/** What is wrong about a refusal; undefined if nothing is. */
function fault(reply: Reply<unknown>, sent: unknown): string | undefined {
  const { name, _tag } = Object(reply.body) as { name?: unknown; _tag?: unknown };
  const isRefusal = reply.status >= 400 && reply.status < 500;
  if (isRefusal && typeof (name ?? _tag) === 'string') return undefined;
  return `${reply.status} ${reply.text.slice(0, 100)} for ${String(sent).slice(0, 100)}`;
}

async function open() {
  const [approval, question] = [await held(server, { kind: 'approval' }), await held(server)];
  const [permission, asked] = [permissionId(approval.ask.ask_id), questionId(question.ask.ask_id)];
  const paths = {
    reply: `/opencode/permission/${permission}/reply`,
    response: `/opencode/session/${approval.sessionId}/permissions/${permission}`,
    answers: `/opencode/question/${asked}/reply`,
  };
  const arePending = async () => {
    for (const { ask } of [approval, question]) expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
  };
  return { paths, arePending };
}

it('refuses bodies that are no JSON or not what the call takes', async () => {
  const { paths, arePending } = await open();
  const faults: (string | undefined)[] = [];
  for (const path of Object.values(paths))
    for (const body of BODIES) faults.push(fault(await server.raw('POST', path, body), body));
  expect(faults.filter((one) => one !== undefined)).toEqual([]);
  await arePending();
});

it('refuses wrong values in the place of a reply, a message and answers', async () => {
  const { paths, arePending } = await open();
  const faults: (string | undefined)[] = [];
  for (const value of VALUES)
    for (const [path, body] of [
      [paths.reply, `{"reply":${value}}`],
      [paths.response, `{"response":${value}}`],
      [paths.answers, `{"answers":${value}}`],
      [paths.answers, `{"answers":[${value}]}`],
    ] as const)
      faults.push(fault(await server.raw('POST', path, body), body));
  expect(faults.filter((one) => one !== undefined)).toEqual([]);
  await arePending();
});

it('finds nothing under odd ids, folders and queries, and stays healthy', async () => {
  const { arePending } = await open();
  const paths = PATH_IDS.flatMap((id) => [
    ['GET', `/opencode/session/${id}`],
    ['GET', `/opencode/session/${id}/message`],
    ['POST', `/opencode/permission/${id}/reply`],
    ['POST', `/opencode/permission/per_${id}/reply`],
    ['POST', `/opencode/question/que_${id}/reject`],
  ]);
  const queries = QUERY_VALUES.flatMap((value) =>
    ['permission?directory', 'session?limit', 'session?start', 'session?search', 'path?directory'].map((name) => [
      'GET',
      `/opencode/${name}=${value}`,
    ]),
  );
  const failed: string[] = [];
  for (const [method = '', path = ''] of [...paths, ...queries]) {
    const { status, text } = await server.raw(method, path, method === 'POST' ? '{"reply":"once"}' : undefined);
    if (status >= 500 || (method === 'POST' && status < 400)) failed.push(`${method} ${path}: ${status} ${text}`);
  }
  expect(failed).toEqual([]);
  await arePending();
});

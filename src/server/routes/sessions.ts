// Creates, shows, lists, interrupts and ends sessions.
import { z } from 'zod';
import { CreateSession, Empty, EndSession } from '../../core/bodies.ts';
import { RecordView, SessionView } from '../../core/views.ts';
import { ANSWERERS, EVERY_READER, READERS, WORKERS } from '../auth.ts';
import { OrderQuery, orderedPageOf, PageQuery, pageOf, sendList } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addSessions: AddRoutes = ({ route, gateway }) => {
  route('sessions', 'POST /v1/sessions', {
    name: 'createSession',
    summary: 'Create a session, or reuse the one with this id',
    description:
      'A worker creates children of the session whose run it has claimed, under `Holdpoint-Lease`, with the labels, folder and permissions of that session; and conversations of attached agents.',
    scopes: WORKERS,
    reads: ['Holdpoint-Lease'],
    body: CreateSession,
    examples: {
      external: { agent: 'external', session_id: 'build-42', title: 'Fix the build', work_folder: '/srv/app' },
    },
    refuses: ['session_conflict', 'session_ended', 'session_not_found'],
    reply: SessionView,
    creates: true,
    change: ({ body, sender }) => gateway.createSession(body, sender.key, sender),
  });

  route('sessions', 'GET /v1/sessions', {
    name: 'listSessions',
    summary: 'List sessions, oldest first unless `order=newest`',
    description: 'Ended sessions stay in the list. `status=active` leaves them out.',
    scopes: EVERY_READER,
    query: OrderQuery.extend({
      status: z.enum(['active', 'ended']).optional().describe('Only in this state'),
      parent_session_id: z.string().optional().describe('Only the children of this session'),
    }),
    reply: z.array(SessionView),
    async handle({ request, reply, actor, query }) {
      const { status, parent_session_id: parentId } = query;
      const { page, way, newestFirst } = orderedPageOf(query);
      const filter = { id: actor.sessionId, status, parentId, newestFirst };
      return sendList(request, reply, await gateway.listSessions(filter, page), way);
    },
  });

  route('sessions', 'GET /v1/sessions/:session_id', {
    name: 'getSession',
    summary: 'One session',
    description: 'With its pending asks, its active run and the runs that queue behind it.',
    scopes: EVERY_READER,
    reply: SessionView,
    handle: ({ params }) => gateway.showSession(params.session_id),
  });

  route('sessions', 'GET /v1/sessions/:session_id/records', {
    name: 'listSessionRecords',
    summary: 'The rows of a session, its runs and its asks as they are stored, for `holdpoint audit verify`',
    description:
      'Every page begins with the row of the session, which says where its log ended when the page was read. A viewer gets `input_hash` in the place of the `input` of a run.',
    scopes: READERS,
    query: PageQuery,
    reply: z.array(RecordView),
    handle: async ({ request, reply, actor, params, query }) =>
      sendList(request, reply, await gateway.showRows(params.session_id, pageOf(query), actor)),
  });

  route('sessions', 'POST /v1/sessions/:session_id/interrupt', {
    name: 'interruptSession',
    summary: 'Interrupt the active run of a session',
    description:
      'The agent is told to stop; the pending asks of the run end as cancelled. Later runs of the session go on.',
    scopes: ANSWERERS,
    body: Empty,
    refuses: ['run_state_conflict', 'session_ended'],
    reply: SessionView,
    change: ({ actor, params, key }) => gateway.interruptSession({ sessionId: params.session_id, actor, key }),
  });

  route('sessions', 'POST /v1/sessions/:session_id/end', {
    name: 'endSession',
    summary: 'End a session: its open runs and asks end with it',
    description: 'No run can be started in it afterwards; its log stays.',
    scopes: WORKERS,
    reads: ['Holdpoint-Lease'],
    body: EndSession,
    reply: SessionView,
    change: ({ params, body: { reason }, sender }) =>
      gateway.endSession({ sessionId: params.session_id, reason, ...sender }),
  });
};

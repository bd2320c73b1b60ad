// Previews, lists and revokes grants. They are given with an answer to an approval.
import { z } from 'zod';
import { PreviewGrant } from '../../core/bodies.ts';
import { GrantPreview, GrantView } from '../../core/grant.ts';
import { ANSWERERS, READERS } from '../auth.ts';
import { PageQuery, pageOf, sendList } from '../request.ts';
import type { AddRoutes } from './route.ts';

export const addGrants: AddRoutes = ({ route, gateway }) => {
  route('grants', 'POST /v1/grants/preview', {
    name: 'previewGrant',
    summary: 'What "always" for a request would allow, and what not, among the past calls of its session',
    description: 'Stores nothing. A grant is given as `always` with the decision of an approval.',
    scopes: ANSWERERS,
    body: PreviewGrant,
    examples: { session: { request_id: 'ask_01hzexample', always: { scope: 'session' } } },
    refuses: ['ask_not_found', 'grant_refused'],
    reply: GrantPreview,
    handle: ({ body: { request_id, always = {} }, actor }) => gateway.previewGrant(request_id, always, actor),
  });

  route('grants', 'GET /v1/grants', {
    name: 'listGrants',
    summary: 'List grants, those that are over as well',
    description: 'The oldest first. `is_usable` tells whether a grant still applies.',
    scopes: READERS,
    query: PageQuery.extend({ session_id: z.string().optional().describe('Only those given in this session') }),
    reply: z.array(GrantView),
    handle: async ({ request, reply, query }) =>
      sendList(request, reply, await gateway.listGrants(query.session_id, pageOf(query))),
  });

  route('grants', 'DELETE /v1/grants/:grant_id', {
    name: 'revokeGrant',
    summary: 'Revoke a grant: the next call is asked again',
    description: 'The grant stays in the list, with who revoked it.',
    scopes: ANSWERERS,
    isKeyed: true,
    reply: GrantView,
    change: ({ params, actor, key }) => gateway.revokeGrant(params.grant_id, actor, key),
  });
};

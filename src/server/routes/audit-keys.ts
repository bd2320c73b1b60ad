// Lists the public keys that have signed the log, and replaces the one that signs.
import { z } from 'zod';
import { AuditKeyView } from '../../core/views.ts';
import { ANSWERERS, READERS } from '../auth.ts';
import type { AddRoutes } from './route.ts';

export const addAuditKeys: AddRoutes = ({ route, gateway }) => {
  route('audit', 'GET /v1/audit/keys', {
    summary: 'The public keys that sign the log, the first one first',
    scopes: READERS,
    reply: z.array(AuditKeyView),
    handle: () => gateway.listAuditKeys(),
  });

  route('audit', 'POST /v1/audit/keys', {
    summary: 'Rotate the key that signs the log',
    description: 'The key before it signs the introduction of the new one, which is an event of the log.',
    scopes: ANSWERERS,
    reply: AuditKeyView,
    status: 201,
    change: ({ key }) => gateway.rotateAuditKey(key),
  });
};

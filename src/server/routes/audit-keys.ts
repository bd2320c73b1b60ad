// Lists the public keys that have signed the log, and replaces the one that signs.
import { z } from 'zod';
import { AuditKeyView } from '../../core/views.ts';
import { ANSWERERS, READERS } from '../auth.ts';
import type { AddRoutes } from './route.ts';

export const addAuditKeys: AddRoutes = ({ route, gateway }) => {
  route('audit', 'GET /v1/audit/keys', {
    name: 'listAuditKeys',
    summary: 'The public keys that sign the log, the first one first',
    description: 'What `holdpoint audit verify` checks signatures with.',
    scopes: READERS,
    reply: z.array(AuditKeyView),
    handle: () => gateway.listAuditKeys(),
  });

  route('audit', 'POST /v1/audit/keys', {
    name: 'rotateAuditKey',
    summary: 'Rotate the key that signs the log',
    description: 'The key before it signs the introduction of the new one, which is an event of the log.',
    scopes: ANSWERERS,
    isKeyed: true,
    refuses: ['audit_key_unavailable'],
    reply: AuditKeyView,
    status: 201,
    change: ({ key }) => gateway.rotateAuditKey(key),
  });
};

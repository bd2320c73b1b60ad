// Grants on two servers with one PostgreSQL: given at one, used at both, counted once each, revoked for the next call at both.
// Covers: src/gateway/grant.ts, src/store/grants.ts
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import { sortableId } from '../../src/core/id.ts';
import type { Store } from '../../src/core/ports.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { openPostgres } from '../../src/store/postgres.ts';
import { hash } from '../support/gateway.ts';
import { agent, lead } from '../support/gateway-calls.ts';
import { sealer } from '../support/postgres.ts';
import { temporaryFolder } from '../support/process.ts';
import { postgresForAll } from '../support/shared-fixtures.ts';

const postgres = postgresForAll();
const stores: Store[] = [];
let here: Gateway;
let there: Gateway;
let calls = 0;

beforeAll(async () => {
  const { url } = await postgres.database();
  const auditKeys = openAuditKeys(undefined, temporaryFolder(), sealer);
  const node = async () => {
    const { store, clock } = await openPostgres({ url, hash, sealer, poolSize: 6, pooled: false, onError: () => {} });
    stores.push(store);
    const ids = {
      next: (prefix: Parameters<typeof sortableId>[0]) => sortableId(prefix, clock.now(), randomBytes(16)),
      secret: () => randomBytes(16).toString('hex'),
    };
    const ports = {
      store,
      clock,
      ids,
      hash,
      sealer,
      auditKeys,
      isDispatchAgent: () => false,
      takesSettings: () => false,
    };
    const gateway = createGateway(ports, { pendingAsksPerSession: 1000, onError: () => {} });
    await gateway.start();
    return gateway;
  };
  here = await node();
  there = await node();
});
afterAll(async () => {
  for (const gateway of [here, there]) await gateway.stop();
  for (const store of stores) await store.close();
});

async function begun(gateway: Gateway): Promise<string> {
  const { view } = await gateway.createSession({ agent: 'external', work_folder: '/srv/shop' });
  return (await gateway.startRun({ sessionId: view.session_id, body: { input: {} }, actor: agent })).view.run_id;
}
const make = async (gateway: Gateway, runId: string) => {
  calls += 1;
  const body = { kind: 'approval', tool_call_id: `c${calls}`, tool_name: 'Bash', input: { command: 'make' } } as const;
  return (await gateway.raiseAsk({ runId, body, actor: agent })).view;
};
const always = async (runId: string, wanted: object) => {
  const { ask_id } = await make(here, runId);
  const resolutions = [
    { request_id: ask_id, behavior: 'allow' as const, always: { scope: 'project' as const, ...wanted } },
  ];
  await here.approveForRun({ runId, resolutions, actor: lead });
  const answer = (await here.showAsk(ask_id, lead)).answer;
  return String(answer?.grant_id);
};

it('is used at every server and asked again at every server after its revocation', async () => {
  const [own, other] = [await begun(here), await begun(there)];
  const grantId = await always(own, {});
  expect((await make(there, other)).status).toBe('answered');
  await there.revokeGrant(grantId, lead);
  expect((await make(here, own)).status).toBe('pending');
  expect((await make(there, other)).status).toBe('pending');
});

it('leaves comments to everyone: one written at a server ends the wait at another, and decides nothing', async () => {
  const { ask_id: askId } = await make(here, await begun(here));
  const { token_id: tokenId } = (await here.createToken({ scope: 'operator', name: 'waiting' })).view;
  const waiting = here.showAsk(askId, { ...agent, tokenId }, { ms: 20_000, commentsRead: 0 });
  await there.comment({ askId, text: 'yes', actor: lead });
  expect(await waiting).toMatchObject({ status: 'pending', comments: [{ role: 'person', text: 'yes' }] });
  await there.comment({ askId, text: 'allow', role: 'agent', actor: agent });
  expect(await here.showAsk(askId, lead)).toMatchObject({ status: 'pending', comments: [{}, { role: 'agent' }] });
});

it('has its uses counted once each, whichever servers and sessions use it at once', async () => {
  const runs = [await begun(here), await begun(here), await begun(there), await begun(there)];
  const grantId = await always(String(runs[0]), { uses: 5 });
  const asks = await Promise.all(
    Array.from({ length: 16 }, (_, i) => make(i % 4 < 2 ? here : there, String(runs[i % 4]))),
  );
  expect(asks.filter(({ status }) => status === 'answered')).toHaveLength(5);
  const { views } = await there.listGrants(undefined, { limit: 100 });
  expect(views.find(({ grant_id }) => grant_id === grantId)).toMatchObject({ uses: 5, is_usable: false });
});

// The log of a real gateway, for tests of its audit: work that fills it, and the audit of what was written.

import { Audit } from '../../src/core/audit.ts';
import type { Event } from '../../src/core/event.ts';
import { verifySignature } from '../../src/node/ed25519.ts';
import { hash, person } from '../support/gateway.ts';
import { gatewayForEach } from '../support/shared-fixtures.ts';

export function auditedGateway() {
  const open = gatewayForEach();
  const run = (sessionId: string) => open.gateway.startRun({ sessionId, body: { input: {} }, actor: person('lead') });
  return {
    open,
    run,
    async work(sessionId: string, runs: number): Promise<void> {
      await open.gateway.createSession({ session_id: sessionId, agent: 'external' });
      for (let i = 0; i < runs; i++) await run(sessionId);
    },
    wholeLog: () => open.store.read((r) => r.events({}, 0, 10_000)),
  };
}

export const checkpoints = (log: readonly Event[]) => log.filter((event) => event.type === 'audit.checkpoint');

export function audited(log: readonly Event[], keys?: string[]) {
  const audit = new Audit(hash, verifySignature, keys);
  for (const event of log) audit.add(event);
  return audit.report();
}

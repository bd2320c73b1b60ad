// Records that a caller has cancelled a tool call, for the server that holds the call: a cancellation may arrive at another
// one. Kept as long as idempotency keys are.
import type { Hash } from '../core/digest.ts';
import { keyScope } from '../core/idempotency.ts';
import type { Ports } from '../core/ports.ts';

export const cancelledCall = (call: string, hash: Hash): string => keyScope('MCP cancelled', [], call, hash);

export const isCallCancelled = (ports: Ports, call: string): Promise<boolean> =>
  ports.store.write(async (tx) => (await tx.lockKey(cancelledCall(call, ports.hash))) !== undefined);

export async function cancelCall(ports: Ports, call: string): Promise<void> {
  const scope = cancelledCall(call, ports.hash);
  await ports.store.write(async (tx) => {
    if (await tx.lockKey(scope)) return;
    await tx.insert('response', { scope, fingerprint: '', created: false, body: '{}', createdAt: ports.clock.now() });
  });
}

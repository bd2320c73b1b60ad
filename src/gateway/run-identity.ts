// Issues and verifies the identity of a managed run: an agent token for its session in the environment of its processes, so
// that they can ask with the client or over MCP. It is not stored, and valid for a day at most, while its run is active.
import { z } from 'zod';
import type { Ports } from '../core/ports.ts';
import { isTerminal, type Run } from '../core/run.ts';
import type { Session } from '../core/session.ts';
import type { Actor } from '../core/token.ts';
import { signToken, verifyToken } from './signed-token.ts';

export const RUN_IDENTITY_PREFIX = 'hpr_';
const GOOD_FOR_MS = 24 * 60 * 60 * 1000;

const Payload = z.strictObject({ type: z.literal('run'), run_id: z.string(), name: z.string(), exp: z.int() });

export function runIdentity({ sealer, clock }: Ports, session: Session, run: Run): string {
  const payload = { type: 'run', run_id: run.id, name: session.agentId, exp: clock.now() + GOOD_FOR_MS };
  return signToken(sealer, RUN_IDENTITY_PREFIX, payload);
}

/** The caller with this token, if it is valid now. */
export async function runActor(ports: Ports, secret: string): Promise<Actor | undefined> {
  const payload = Payload.safeParse(verifyToken(ports.sealer, RUN_IDENTITY_PREFIX, secret)).data;
  if (!payload || payload.exp <= ports.clock.now()) return undefined;
  const run = await ports.store.reader.get('run', payload.run_id);
  if (!run || isTerminal(run.status)) return undefined;
  const { name, exp: expiresAt } = payload;
  return {
    name,
    person: name,
    scope: 'agent',
    kind: 'bearer',
    tokenId: run.id,
    sessionId: run.sessionId,
    surface: 'api',
    expiresAt,
  };
}

/** Whether the actor authenticated with the identity of a run. */
export const isRun = ({ tokenId }: Actor): boolean => tokenId.startsWith('run_');

// The identity of a managed run: an agent's token for its session, found by its programs in their environment, so that
// they can ask with the client or over MCP. Nothing of it is stored; it is good until its run is over, or a day has passed.
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

/** Who is calling with it, if it is good now. */
export async function runActor(ports: Ports, secret: string): Promise<Actor | undefined> {
  const payload = Payload.safeParse(verifyToken(ports.sealer, RUN_IDENTITY_PREFIX, secret)).data;
  if (!payload || payload.exp <= ports.clock.now()) return undefined;
  const run = await ports.store.read((r) => r.run(payload.run_id));
  if (!run || isTerminal(run.status)) return undefined;
  const { name, exp: expiresAt } = payload;
  return { name, scope: 'agent', kind: 'bearer', tokenId: run.id, sessionId: run.sessionId, surface: 'api', expiresAt };
}

/** Whether the actor is a run, as told by its identity. */
export const isRun = ({ tokenId }: Actor): boolean => tokenId.startsWith('run_');

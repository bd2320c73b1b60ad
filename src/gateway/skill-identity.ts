// Issues and verifies skill identities: signed tokens that let a run publish skills in the name of the person it works for,
// and nothing else. They are not stored, and valid for a day at most, while the run is active and that person's token is
// valid under its current name.
import { z } from 'zod';
import type { Ports, Tx } from '../core/ports.ts';
import { isTerminal, type Run } from '../core/run.ts';
import type { SkillIdentity } from '../core/skill.ts';
import { type Actor, personOf } from '../core/token.ts';
import { signToken, verifyToken } from './signed-token.ts';
import { isGood } from './token.ts';

export const SKILL_IDENTITY_PREFIX = 'hps_';
const GOOD_FOR_MS = 24 * 60 * 60 * 1000;

const Payload: z.ZodType<SkillIdentity> = z.strictObject({
  type: z.literal('skill_identity'),
  user_id: z.string(),
  user_name: z.string(),
  runtime_type: z.enum(['executor', 'sandbox']),
  runtime_name: z.string(),
  iat: z.int(),
  exp: z.int(),
});

/** For a claimed run; undefined without a valid token of its person. */
export async function identityOf(ports: Ports, tx: Tx, run: Run): Promise<string | undefined> {
  const now = ports.clock.now();
  const user = await tx.tokenNamed(run.actor);
  if (!user || !isGood(user, now)) return undefined;
  return signToken(ports.sealer, SKILL_IDENTITY_PREFIX, {
    type: 'skill_identity',
    user_id: user.id,
    user_name: user.name,
    runtime_type: 'executor',
    runtime_name: run.id,
    iat: now,
    exp: now + GOOD_FOR_MS,
  });
}

/** The caller with this token, if it is valid now. */
export async function skillActor(ports: Ports, secret: string): Promise<Actor | undefined> {
  const payload = verified(ports, secret);
  if (!payload) return undefined;
  const [user, run] = await ports.store.read((r) =>
    Promise.all([r.get('token', payload.user_id), r.get('run', payload.runtime_name)]),
  );
  if (!run || isTerminal(run.status)) return undefined;
  if (!user || !isGood(user, ports.clock.now()) || user.name !== payload.user_name) return undefined;
  const { user_name: name, exp: expiresAt } = payload;
  const identity = { scope: 'skill_identity', kind: 'bearer', surface: 'api' } as const;
  return { name, person: personOf(user), tokenId: user.id, sessionId: run.sessionId, ...identity, expiresAt };
}

function verified({ sealer, clock }: Ports, secret: string): SkillIdentity | undefined {
  const payload = Payload.safeParse(verifyToken(sealer, SKILL_IDENTITY_PREFIX, secret)).data;
  return payload && payload.exp > clock.now() ? payload : undefined;
}

// Creates, revokes and checks tokens: shown once, stored as a hash. Identifies callers.
import type { CreateToken } from '../core/bodies.ts';
import { fail } from '../core/errors.ts';
import { inOrder } from '../core/label.ts';
import type { Ports, Tx } from '../core/ports.ts';
import { isTerminal } from '../core/run.ts';
import { SYSTEM_SESSION } from '../core/session.ts';
import type { Actor, Scope, Token } from '../core/token.ts';
import { tokenRecord } from '../core/token-replay.ts';
import type { NewTokenView } from '../core/views.ts';
import { type Ledger, ledgerOf, openSession } from './ledger.ts';
import { type Key, made, mutate, ok, type Reply } from './mutate.ts';
import { isRun } from './run-identity.ts';
import { newSession, noteCreated } from './session.ts';
import { tokenView } from './views.ts';

/** Events that belong to no conversation are linked in a session of their own. */
export function ensureSystemSession(ports: Ports): Promise<void> {
  return ports.store.write(async (tx) => {
    if (await tx.lockSession(SYSTEM_SESSION)) return;
    const now = ports.clock.now();
    const session = newSession(SYSTEM_SESSION, { agent: 'system', agent_id: 'system' }, now);
    await tx.insert('session', session);
    const ledger = ledgerOf(ports, tx, session, now);
    noteCreated(ledger);
    await ledger.close();
  });
}

/** A keyed hash: a viewer of the log could otherwise try secrets that a person made up. */
export const tokenProof = ({ sealer }: Pick<Ports, 'sealer'>, id: string, hash: string): string =>
  sealer.mac(`token ${id} ${hash}`);

/** In the ledger of the system session. `token.recorded` says of a known token what is stored of it now. */
export const noteToken = (
  { note, ports }: Ledger,
  token: Token,
  type: 'token.created' | 'token.recorded' = 'token.created',
): void => note(type, tokenRecord(token, tokenProof(ports, token.id, token.hash)));

/** Once, for a database of version 0.1, which did not log all of a token: from then on every row is in the log. */
export function recordTokens(ports: Ports): Promise<void> {
  return ports.store.write(async (tx) => {
    if (await areTokensLogged(tx)) return;
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    let after: number | undefined;
    for (;;) {
      const tokens = await tx.tokens({ limit: RECORDED_AT_ONCE, after });
      for (const { value } of tokens) noteToken(ledger, value, 'token.recorded');
      after = tokens.at(-1)?.at;
      if (tokens.length < RECORDED_AT_ONCE) break;
    }
    await ledger.close();
  });
}

const RECORDED_AT_ONCE = 500;

/** The last event about a token says all of it. */
async function areTokensLogged(tx: Tx): Promise<boolean> {
  for (const type of ['token.created', 'token.recorded'] as const) {
    const [last] = await tx.latest(SYSTEM_SESSION, type, Number.MAX_SAFE_INTEGER, 1);
    if (last && (JSON.parse(last.data) as { proof?: string }).proof !== undefined) return true;
  }
  return false;
}

export function createToken(ports: Ports, body: CreateToken, key?: Key): Promise<Reply<NewTokenView>> {
  const unit = async (tx: Tx) => {
    if ((body.scope === 'agent') !== (body.session_id !== undefined))
      throw fail('invalid_token_request', 'An agent token names its session_id; no other scope does.');
    if (body.scope !== 'worker' && body.labels !== undefined)
      throw fail('invalid_token_request', 'Only a worker token names labels: they say which work it may claim.');
    if (body.session_id !== undefined && !(await tx.get('session', body.session_id)))
      throw fail('session_not_found', `There is no session "${body.session_id}".`);
    const secret = ports.ids.secret();
    const token = newToken(ports, body.scope, secret, body.name);
    token.sessionId = body.session_id;
    if (body.scope === 'worker') token.labels = inOrder(body.labels ?? []);
    if (body.expires_after_ms !== undefined) token.expiresAt = token.createdAt + body.expires_after_ms;
    await tx.insert('token', token);
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    noteToken(ledger, token);
    await ledger.close();
    return made({ ...tokenView(token), token: secret });
  };
  return mutate(ports, key, unit, { secret: true });
}

export function newToken(ports: Ports, scope: Scope, secret: string, name?: string): Token {
  const id = ports.ids.next('tok');
  return {
    id,
    kind: 'bearer',
    name: name ?? `${scope}:${id}`,
    scope,
    sessionId: undefined,
    labels: undefined,
    isBuiltIn: false,
    person: undefined,
    hash: ports.hash(secret),
    createdAt: ports.clock.now(),
    expiresAt: undefined,
    revokedAt: undefined,
  };
}

/**
 * A token whose secret is already known: the operator's own, and that of the built-in worker. False: it was revoked. Called after
 * the start, which puts the tokens of an older version into the log.
 */
export function presetToken(ports: Ports, secret: string, scope: Scope, name: string): Promise<boolean> {
  return ports.store.write(async (tx) => {
    const isBuiltIn = scope === 'worker';
    const known = await tx.tokenByHash(ports.hash(secret));
    if (known?.isBuiltIn === isBuiltIn) return known.revokedAt === undefined;
    const token = { ...(known ?? newToken(ports, scope, secret, name)), isBuiltIn };
    await (known ? tx.update('token', token) : tx.insert('token', token));
    const ledger = await openSession(ports, tx, SYSTEM_SESSION);
    noteToken(ledger, token, known ? 'token.recorded' : 'token.created');
    await ledger.close();
    return known?.revokedAt === undefined;
  });
}

export function revokeToken(ports: Ports, tokenId: string, key?: Key) {
  return mutate(ports, key, async (tx) => {
    const token = await tx.get('token', tokenId);
    if (!token) throw fail('token_not_found', `There is no token "${tokenId}".`);
    if (token.revokedAt === undefined) {
      const ledger = await openSession(ports, tx, SYSTEM_SESSION);
      await revokeIn(ledger, token);
      await ledger.close();
    }
    return ok(tokenView(token));
  });
}

/** In the ledger of the system session. */
export async function revokeIn(ledger: Ledger, token: Token): Promise<void> {
  if (token.revokedAt !== undefined) return;
  token.revokedAt = ledger.now;
  await ledger.tx.update('token', token);
  ledger.note('token.revoked', { token_id: token.id });
}

/** The token of a secret, if it is valid now. */
export async function tokenOf(ports: Ports, secret: string): Promise<Token | undefined> {
  const token = await ports.store.reader.tokenByHash(ports.hash(secret));
  return token && isGood(token, ports.clock.now()) ? token : undefined;
}

export const isGood = (token: Token, now: number): boolean =>
  token.revokedAt === undefined && (token.expiresAt === undefined || token.expiresAt > now);

/** After a wait: a token that was revoked or expired meanwhile gets no result. */
export async function checkStillGood(ports: Ports, actor: Actor): Promise<void> {
  if (isRun(actor)) return checkRun(ports, actor);
  const token = await ports.store.reader.get('token', actor.tokenId);
  if (!token || !isGood(token, ports.clock.now()))
    throw fail('unauthenticated', 'This token was revoked or has expired while it waited.');
}

async function checkRun(ports: Ports, { tokenId, expiresAt = 0 }: Actor): Promise<void> {
  const run = await ports.store.reader.get('run', tokenId);
  if (!run || isTerminal(run.status) || expiresAt <= ports.clock.now())
    throw fail('unauthenticated', 'The run that this token belongs to is over.');
}

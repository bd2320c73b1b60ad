// Finds the ask, session, run or token that a person typed: by its whole id, or by a prefix or suffix that only one id
// has. A run is also found as the latest of its session, a token by its name. An ambiguous id is refused with the
// candidates; an ask of the other kind, or of another session or run than was named, is refused as such.
import { type Client, listAll } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { AskKind } from '../core/ask.ts';
import type { GrantView } from '../core/grant.ts';
import type { AskView, RunView, SessionView } from '../core/views.ts';
import type { Scope } from './command-flags.ts';
import { Failure } from './failure.ts';
import { programName } from './program-name.ts';
import { agentName } from './text/agent-text.ts';
import { summary } from './text/ask-text.ts';
import { oneLine } from './text/terminal-text.ts';

/**
 * Without a session or run, pending asks are searched, then those that ended last, where another answer was first; a whole
 * id finds every ended one. `kind`: undefined where either is meant.
 */
export async function findAsk(
  client: Client,
  kind: AskKind | undefined,
  typed: string,
  scope: Scope,
): Promise<AskView> {
  const exact = typed.startsWith('ask_') ? await orNothing(client.asks.get(typed)) : undefined;
  if (exact) return checked(exact, kind, scope);
  const { sessionId, runId } = scope;
  const isScoped = sessionId !== undefined || runId !== undefined;
  const query = { ...(!isScoped && { status: 'pending' as const }), kind, session_id: sessionId, run_id: runId };
  const asks = await listAll((page) => client.asks.list({ ...query, ...page }));
  const found = matching(asks, typed, askCandidates(isScoped ? '' : 'pending ', kind));
  if (found) return found;
  if (!isScoped) {
    const { items } = await client.asks.list({ status: 'ended', order: 'newest', kind, limit: RECENTLY_ENDED });
    const ended = matching(items, typed, askCandidates('ended ', kind));
    if (ended) return ended;
  }
  const where =
    runId !== undefined
      ? `run ${runId} has no`
      : sessionId !== undefined
        ? `session ${sessionId} has no`
        : 'there is no pending';
  throw new Failure(
    'not_found',
    `${where} ${kind ?? 'request'} whose id is, begins or ends with "${typed}"`,
    `See what is open: ${programName()} ${kind === undefined ? 'inbox' : `${kind}s list`}`,
  );
}

const askCandidates = (state: string, kind: AskKind | undefined): Candidates<AskView> => ({
  noun: `${state}${kind ?? 'request'}`,
  idOf: (ask) => ask.ask_id,
  describe: (ask) => `${ask.status === 'pending' ? '' : `(${ask.status}) `}${summary(ask.request).slice(0, 60)}`,
  prefix: 'ask_',
});

function checked(ask: AskView, kind: AskKind | undefined, { sessionId, runId }: Scope): AskView {
  const { ask_id, session_id, run_id } = ask;
  if (kind !== undefined && ask.kind !== kind) {
    const what = ask.kind === 'approval' ? 'an approval' : 'a question';
    throw new Failure('not_found', `${ask_id} is ${what}`, `Try: ${programName()} ${ask.kind}s show ${ask_id}`);
  }
  if (sessionId !== undefined && session_id !== sessionId)
    throw new Failure('not_found', `${ask_id} belongs to session ${session_id}, not to ${sessionId}`);
  if (runId !== undefined && run_id !== runId)
    throw new Failure('not_found', `${ask_id} belongs to run ${run_id}, not to ${runId}`);
  return ask;
}

/** By its whole id only, for callers that would otherwise create the session. */
export const sessionWithId = (client: Client, id: string): Promise<SessionView | undefined> =>
  orNothing(client.sessions.get(id));

export async function findSession(client: Client, typed: string): Promise<SessionView> {
  const exact = await sessionWithId(client, typed);
  if (exact) return exact;
  const found = matching(await listAll((page) => client.sessions.list(page)), typed, {
    noun: 'session',
    idOf: (session) => session.session_id,
    describe: (session) => oneLine(session.title ?? agentName(session, session.session_id)),
    prefix: 'ses_',
  });
  return found ?? notFound('session', typed);
}

export async function findRun(client: Client, typed: string | undefined, sessionId?: string): Promise<RunView> {
  if (typed === undefined) return latestRun(client, sessionId);
  const exact = await orNothing(client.runs.get(typed));
  if (exact && sessionId !== undefined && exact.session_id !== sessionId)
    throw new Failure('not_found', `${typed} belongs to session ${exact.session_id}, not to ${sessionId}`);
  if (exact) return exact;
  const query = sessionId === undefined ? {} : { session_id: sessionId };
  const runs = await listAll((page) => client.runs.list({ ...query, ...page }));
  const found = matching(runs, typed, {
    noun: 'run',
    idOf: (run) => run.run_id,
    describe: (run) => `${run.status}  ${oneLine(run.request.text_preview).slice(0, 50)}`,
    prefix: 'run_',
  });
  return found ?? notFound('run', typed);
}

/** The active run, else the newest. */
async function latestRun(client: Client, sessionId: string | undefined): Promise<RunView> {
  if (sessionId === undefined)
    throw new Failure('usage', 'name a run, or give --session-id for the latest run of a session');
  const { session_id, active_run_id } = await findSession(client, sessionId);
  if (active_run_id !== undefined) return client.runs.get(active_run_id);
  const [latest] = (await client.runs.list({ session_id, order: 'newest', limit: 1 })).items;
  if (latest) return latest;
  throw new Failure('not_found', `session ${session_id} has no run yet`);
}

export async function findToken(client: Client, typed: string): Promise<string> {
  const tokens = await listAll((page) => client.tokens.list(page));
  if (tokens.some((token) => token.token_id === typed)) return typed;
  const named = tokens.filter((token) => token.name === typed && token.revoked_at_ms === undefined);
  if (named.length > 1)
    throw new Failure(
      'usage',
      `"${typed}" is ambiguous: ${named.length} tokens have this name:`,
      ...named.map((token) => token.token_id),
    );
  const found =
    named[0] ??
    matching(tokens, typed, {
      noun: 'token',
      idOf: (token) => token.token_id,
      describe: (token) => oneLine(token.name),
      prefix: 'tok_',
    });
  return found?.token_id ?? notFound('token', typed);
}

export function findGrant(grants: readonly GrantView[], typed: string): string {
  const found = matching(grants, typed, {
    noun: 'grant',
    idOf: (grant) => grant.grant_id,
    describe: (grant) => oneLine(grant.tool),
    prefix: 'grt_',
  });
  return found?.grant_id ?? notFound('grant', typed);
}

function notFound(noun: string, typed: string): never {
  throw new Failure('not_found', `there is no ${noun} "${typed}"`, `See them: ${programName()} ${noun}s list`);
}

interface Candidates<T> {
  noun: string;
  idOf(record: T): string;
  /** A few words beside the id of a candidate. */
  describe(record: T): string;
  /** May be left out in what is typed. */
  prefix: string;
}

const MAX_CANDIDATES = 8;
const RECENTLY_ENDED = 100;
const MIN_CHARACTERS = 3;

function matching<T>(
  records: readonly T[],
  typed: string,
  { noun, idOf, describe, prefix }: Candidates<T>,
): T | undefined {
  if (typed.length < MIN_CHARACTERS)
    throw new Failure('usage', `"${typed}" is too short for an id: give at least ${MIN_CHARACTERS} characters`);
  const exact = records.find((record) => idOf(record) === typed);
  if (exact) return exact;
  const fitting = records.filter((record) => {
    const id = idOf(record);
    return id.startsWith(typed) || id.startsWith(prefix + typed) || id.endsWith(typed);
  });
  if (fitting.length < 2) return fitting[0];
  const candidates = fitting.slice(0, MAX_CANDIDATES).map((record) => `${idOf(record)}  ${describe(record)}`.trimEnd());
  const more = fitting.length > MAX_CANDIDATES ? [`… and ${fitting.length - MAX_CANDIDATES} more`] : [];
  const message = `"${typed}" is ambiguous: ${fitting.length} ${noun}s match. Give more of the id of one of them:`;
  throw new Failure('usage', message, ...candidates, ...more);
}

async function orNothing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof HoldpointProblem && error.status === 404) return undefined;
    throw error;
  }
}

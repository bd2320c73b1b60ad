// From what a person typed to the session, run or token they mean: by whole id, or by a beginning or ending; a run also
// as the latest one of a session, a token also by its name.
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { RunView, SessionView } from '../core/views.ts';
import { Failure } from './failure.ts';
import { pick } from './id-match.ts';
import { ownName } from './program-name.ts';
import { oneLine } from './text/terminal-text.ts';

/** By its whole id only: for what would make one of that id otherwise. */
export const sessionNamed = (client: Client, id: string): Promise<SessionView | undefined> =>
  orNothing(client.sessions.get(id));

export async function findSession(client: Client, typed: string): Promise<SessionView> {
  const exact = await sessionNamed(client, typed);
  if (exact) return exact;
  const all = every((page) => client.sessions.list({ limit: 500, ...page }));
  const found = await pick(all, typed, {
    noun: 'session',
    idOf: (session) => session.session_id,
    describe: (session) => oneLine(session.title ?? session.agent),
    prefix: 'ses_',
  });
  if (found) return found;
  throw new Failure('not_found', `there is no session "${typed}"`, `See them: ${ownName()} sessions list`);
}

export async function findRun(client: Client, typed: string | undefined, sessionId?: string): Promise<RunView> {
  if (typed === undefined) return latestRun(client, sessionId);
  const exact = await orNothing(client.runs.get(typed));
  const isElsewhere = exact && sessionId !== undefined && exact.session_id !== sessionId;
  if (isElsewhere)
    throw new Failure('not_found', `${typed} belongs to session ${exact.session_id}, not to ${sessionId}`);
  if (exact) return exact;
  const query = sessionId === undefined ? {} : { session_id: sessionId };
  const all = every((page) => client.runs.list({ ...query, limit: 500, ...page }));
  const found = await pick(all, typed, {
    noun: 'run',
    idOf: (run) => run.run_id,
    describe: (run) => `${run.status}  ${oneLine(run.request.text_preview).slice(0, 50)}`,
    prefix: 'run_',
  });
  if (found) return found;
  throw new Failure('not_found', `there is no run "${typed}"`, `See them: ${ownName()} runs list`);
}

/** The one at work, else the newest. */
async function latestRun(client: Client, sessionId: string | undefined): Promise<RunView> {
  if (sessionId === undefined)
    throw new Failure('usage', 'name a run, or give --session-id for the latest run of a session');
  const session = await findSession(client, sessionId);
  if (session.active_run_id !== undefined) return client.runs.get(session.active_run_id);
  let latest: RunView | undefined;
  for await (const run of every((page) => client.runs.list({ session_id: session.session_id, limit: 500, ...page })))
    latest = run;
  if (latest) return latest;
  throw new Failure('not_found', `session ${session.session_id} has no run yet`);
}

export async function findToken(client: Client, typed: string): Promise<string> {
  const named: string[] = [];
  const ids: { token_id: string; name: string }[] = [];
  for await (const token of every((page) => client.tokens.list({ limit: 500, ...page }))) {
    if (token.token_id === typed) return typed;
    ids.push(token);
    if (token.name === typed && token.revoked_at_ms === undefined) named.push(token.token_id);
  }
  if (named[0] !== undefined && named.length === 1) return named[0];
  if (named.length > 1)
    throw new Failure('usage', `"${typed}" is ambiguous: ${named.length} tokens have this name:`, ...named);
  const found = await pick(iterate(ids), typed, {
    noun: 'token',
    idOf: (token) => token.token_id,
    describe: (token) => oneLine(token.name),
    prefix: 'tok_',
  });
  if (found) return found.token_id;
  throw new Failure('not_found', `there is no token "${typed}"`, `See them: ${ownName()} tokens list`);
}

async function* iterate<T>(things: readonly T[]): AsyncGenerator<T> {
  yield* things;
}

async function orNothing<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof HoldpointProblem && error.status === 404) return undefined;
    throw error;
  }
}

// From what a person typed to the ask they mean. Without a session or run only what is pending is searched; a whole id
// finds every ask. An ask of the other kind, or of another session or run than was named, is an error that says so.
import { type Client, every } from '../client/client.ts';
import { HoldpointProblem } from '../client/http.ts';
import type { AskKind } from '../core/ask.ts';
import type { AskView } from '../core/views.ts';
import { Failure } from './failure.ts';
import { pick } from './id-match.ts';
import { ownName } from './program-name.ts';
import { summary } from './text/ask-text.ts';

export interface Scope {
  sessionId?: string;
  runId?: string;
}

export async function findAsk(client: Client, kind: AskKind, typed: string, scope: Scope): Promise<AskView> {
  const exact = await askWithId(client, typed);
  if (exact) return checked(exact, kind, scope);
  const found = await pick(asksIn(client, scope, kind), typed, {
    noun: `pending ${kind}`,
    idOf: (ask) => ask.ask_id,
    describe: (ask) => `${ask.status === 'pending' ? '' : `(${ask.status}) `}${summary(ask.request).slice(0, 60)}`,
    prefix: 'ask_',
  });
  if (found) return found;
  throw new Failure('not_found', notFound(kind, typed, scope), `See what is open: ${ownName()} ${kind}s list`);
}

async function askWithId(client: Client, id: string): Promise<AskView | undefined> {
  if (!id.startsWith('ask_')) return undefined;
  try {
    return await client.asks.get(id);
  } catch (error) {
    if (error instanceof HoldpointProblem && error.status === 404) return undefined;
    throw error;
  }
}

function asksIn(client: Client, { sessionId, runId }: Scope, kind: AskKind): AsyncGenerator<AskView> {
  const status = sessionId === undefined && runId === undefined ? ({ status: 'pending' } as const) : {};
  const query = { ...status, kind, session_id: sessionId, run_id: runId, limit: 500 };
  return every((page) => client.asks.list({ ...query, ...page }));
}

function checked(ask: AskView, kind: AskKind, { sessionId, runId }: Scope): AskView {
  const { ask_id, session_id, run_id } = ask;
  if (ask.kind !== kind) {
    const what = ask.kind === 'approval' ? 'an approval' : 'a question';
    throw new Failure('not_found', `${ask_id} is ${what}`, `Try: ${ownName()} ${ask.kind}s show ${ask_id}`);
  }
  if (sessionId !== undefined && session_id !== sessionId)
    throw new Failure('not_found', `${ask_id} belongs to session ${session_id}, not to ${sessionId}`);
  if (runId !== undefined && run_id !== runId)
    throw new Failure('not_found', `${ask_id} belongs to run ${run_id}, not to ${runId}`);
  return ask;
}

function notFound(kind: AskKind, typed: string, { sessionId, runId }: Scope): string {
  if (runId !== undefined) return `run ${runId} has no ${kind} whose id is, begins or ends with "${typed}"`;
  if (sessionId !== undefined) return `session ${sessionId} has no ${kind} whose id is, begins or ends with "${typed}"`;
  return `there is no pending ${kind} whose id is, begins or ends with "${typed}"`;
}

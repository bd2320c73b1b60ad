// What happens on the server, for the inbox: everything that is pending now, then every ask that comes or settles. The
// stream takes up where the list ends and where it broke off, so that nothing is missed in between.
import { type Client, createClient, every } from '../../client/client.ts';
import { follow } from '../../client/stream.ts';
import type { AskView, EventView } from '../../core/views.ts';
import type { Happening } from './update.ts';

const PING_MS = 3000;
const PAGE = 500;

/** Until the signal says so. Rejects when the server refuses us for good. */
export async function feed(client: Client, tell: (event: Happening) => void, signal: AbortSignal): Promise<void> {
  const sessions = sessionLookUp(client, tell);
  const modes = new Map<string, AskView['mode']>();
  let cursor: number | undefined;
  const page = async (at: { cursor?: string }) => {
    const listed = await client.asks.list({ status: 'pending', limit: PAGE, ...at });
    // The position of the first page: what settles while the others are read is told by the stream.
    cursor ??= listed.cursor;
    tell({ type: 'raised', asks: listed.items, isNews: false });
    for (const ask of listed.items) sessions.need(ask.session_id);
    return listed;
  };
  for await (const _ of every(page)) if (signal.aborted) return;
  const isUp = () => tell({ type: 'link', link: 'live' });
  isUp();
  // The stream comes back by itself but does not say that it is away; one attempt at a time does.
  const { system } = createClient({ url: client.http.url, token: '', retryForMs: 0, timeoutMs: PING_MS });
  const ping = setInterval(() => {
    system.health().then(isUp, () => tell({ type: 'link', link: 'lost' }));
  }, PING_MS);
  try {
    await follow(client.http, { path: '/v1/events', after: cursor, signal, onOpen: isUp, onEvent: hear });
  } finally {
    clearInterval(ping);
  }

  function hear(event: EventView): void {
    if (event.type === 'ask.raised' && event.ask_id) modes.set(event.ask_id, event.data.mode as AskView['mode']);
    if (event.type === 'waiting_for_approval' || event.type === 'waiting_for_user_question') {
      const asks = (event.data.requests as AskView['request'][]).map((request) => askOf(event, request));
      for (const ask of asks) modes.delete(ask.ask_id);
      tell({ type: 'raised', asks, isNews: true });
      sessions.need(event.session_id);
    }
    if (event.type === 'ask.claimed' && event.ask_id && event.data.answer)
      tell({ type: 'settled', askId: event.ask_id, answer: event.data.answer as NonNullable<AskView['answer']> });
  }

  function askOf(event: EventView, request: AskView['request']): AskView {
    const { id, tool_call_id, created_at_ms, expires_at_ms } = request;
    return {
      ask_id: id,
      kind: 'questions' in request ? 'question' : 'approval',
      status: 'pending',
      session_id: event.session_id,
      run_id: event.run_id ?? '',
      tool_call_id,
      mode: modes.get(id) ?? 'blocking',
      created_at_ms,
      ...(expires_at_ms !== undefined && { expires_at_ms }),
      request,
      delivery: { state: 'none', attempts: 0 },
    };
  }
}

/** Each session is fetched once, one after the other; a title that does not come is no reason to stop. */
function sessionLookUp(client: Client, tell: (event: Happening) => void) {
  const asked = new Set<string>();
  let turn = Promise.resolve();
  return {
    need(id: string): void {
      if (asked.has(id)) return;
      asked.add(id);
      turn = turn.then(async () => {
        const session = await client.sessions.get(id).catch(() => undefined);
        if (session) tell({ type: 'session', session });
      });
    },
  };
}

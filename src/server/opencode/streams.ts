// Serves OpenCode's two event streams. Each begins with `server.connected` and replays nothing: a client that comes back
// lists what is pending. The stream of all folders then sends what is pending, because the terminal client lists nothing.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Event } from '../../core/event.ts';
import { READERS } from '../auth.ts';
import type { App, Context } from '../routes/route.ts';
import { directoryOf } from './directory.ts';
import { eventsOfPending, isTranslated, type Translated, translate } from './events.ts';
import type { DoorEvent } from './protocol.ts';
import { type Caller, pendingOf } from './requests.ts';

const HEARTBEAT_MS = 10_000;
/** What is pending is sent, the oldest first, until it is longer than this; the lists have the rest. */
const LONGEST_FIRST = 2 * 1024 * 1024;

export function addStreams(own: App, { gateway, throttle, streams }: Context, version: string): void {
  const stream = async (request: FastifyRequest, reply: FastifyReply, isGlobal: boolean): Promise<FastifyReply> => {
    const { actor } = request;
    const wanted = isGlobal ? undefined : directoryOf(request);
    const frame = (event: DoorEvent, directory?: string) =>
      `data: ${JSON.stringify(isGlobal ? { directory, payload: event } : event)}\n\n`;
    const framesOf = ({ directory, events }: Translated) =>
      wanted === undefined || wanted === directory ? events.map((event) => frame(event, directory)).join('') : '';
    const sign = (type: 'server.connected' | 'server.heartbeat') =>
      frame({ id: `evt_${gateway.now()}`, type, properties: {} });
    const lookUp = async (events: readonly Event[]) => {
      let frames = '';
      for (const event of events) frames += framesOf(await translate(event, { gateway, actor, version }));
      return frames;
    };
    const close = throttle.open(actor);
    try {
      const after = await gateway.lastSeq();
      let first = sign('server.connected');
      if (isGlobal)
        for await (const pending of pendingEvents({ gateway, actor, directory: undefined })) {
          first += framesOf(pending);
          if (first.length > LONGEST_FIRST) break;
        }
      streams.open(gateway, request, reply, { filter: {}, after, first, isShown: isTranslated, lookUp }, close);
    } catch (error) {
      close();
      throw error;
    }
    const { raw } = reply;
    const beat = () => raw.writableEnded || raw.writableNeedDrain || raw.write(sign('server.heartbeat'));
    const heartbeat = setInterval(beat, HEARTBEAT_MS).unref();
    raw.once('close', () => clearInterval(heartbeat));
    return reply;
  };
  const config = { scopes: READERS, isStream: true };
  own.get('/event', { config }, (request, reply) => stream(request, reply, false));
  own.get('/global/event', { config }, (request, reply) => stream(request, reply, true));
}

async function* pendingEvents(caller: Caller): AsyncGenerator<Translated> {
  for (const kind of ['approval', 'question'] as const)
    for (const ask of await pendingOf(kind, caller)) yield eventsOfPending(ask, caller.gateway);
}

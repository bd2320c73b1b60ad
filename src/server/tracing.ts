// Traces a request from the agent's call through the human wait to the resumed call, with the OpenTelemetry SDK that the
// operator registered (`node --import`). Each ask has two spans below the call that raised it: `ask wait`, until it ends, and
// `ask delivery`, until the agent has the answer. Without an SDK there is no tracing object, no hook and no cost.
//
//   raise ──► ask wait ──ask.claimed──► ask delivery ──ask.delivered──► (ended)
import {
  type Context,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import type { Event } from '../core/event.ts';
import type { AskView } from '../core/views.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { App } from './routes/route.ts';

const NAME = 'holdpoint';
/** Asks whose spans are open; the oldest are ended unfinished. */
const MOST_OPEN = 10_000;

interface OpenAsk {
  span: Span;
  parent: Context;
}

export class Tracing {
  readonly #tracer: Tracer;
  readonly #asks = new Map<string, OpenAsk>();
  readonly #requests = new WeakMap<FastifyRequest, { span: Span; context: Context }>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** The same gateway, whose new asks are traced, whichever door raised them. */
  wrap(gateway: Gateway): Gateway {
    return {
      ...gateway,
      raiseAsk: async (command) => {
        const reply = await gateway.raiseAsk(command);
        if (reply.created) this.#raised(reply.view, context.active());
        return reply;
      },
    };
  }

  /** Spans of requests and asks. Returns what ends them when the server stops. */
  async follow(app: App, gateway: Gateway): Promise<() => void> {
    app.addHook('onRequest', (request, _reply, done) => {
      const { routeOptions, method, headers } = request;
      // Probes and scrapes would drown the rest.
      if (routeOptions.config.anyHost) return done();
      const parent = propagation.extract(context.active(), headers);
      const attributes = { 'http.request.method': method, 'http.route': routeOptions.url ?? '' };
      const name = `${method} ${routeOptions.url ?? 'unknown'}`;
      const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
      const own = { span, context: trace.setSpan(parent, span) };
      this.#requests.set(request, own);
      context.with(own.context, done);
    });
    app.addHook('onSend', (request, reply, payload, done) => {
      const own = this.#requests.get(request);
      const { ask_id: askId } = (request.params ?? {}) as { ask_id?: string };
      // A refusal does not say whether there is such an ask.
      const ask = askId === undefined || reply.statusCode >= 400 ? undefined : this.#asks.get(askId);
      const shown = ask ? trace.setSpan(ask.parent, ask.span) : own?.context;
      if (shown) propagation.inject(shown, reply, { set: (to, name, value) => to.header(name, value) });
      done(null, payload);
    });
    app.addHook('onResponse', (request, reply, done) => {
      const span = this.#requests.get(request)?.span;
      span?.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
      span?.end();
      done();
    });
    const deliver = (events: readonly Event[]): boolean => {
      for (const event of events) this.#note(event);
      return true;
    };
    const following = gateway.follow({ filter: {}, deliver }, await gateway.lastSeq());
    return () => {
      following.stop();
      for (const id of [...this.#asks.keys()]) this.#end(id, Date.now(), { 'holdpoint.unfinished': true });
    };
  }

  #raised({ ask_id, kind, session_id, run_id, created_at_ms, status }: AskView, parent: Context): void {
    if (status !== 'pending') return;
    const attributes = {
      'holdpoint.ask.id': ask_id,
      'holdpoint.ask.kind': kind,
      'holdpoint.session.id': session_id,
      'holdpoint.run.id': run_id,
    };
    const span = this.#tracer.startSpan('ask wait', { startTime: created_at_ms, attributes }, parent);
    this.#asks.set(ask_id, { span, parent });
    const oldest = this.#asks.keys().next().value;
    if (this.#asks.size > MOST_OPEN && oldest !== undefined)
      this.#end(oldest, Date.now(), { 'holdpoint.unfinished': true });
  }

  #note({ type, askId, at, data }: Event): void {
    const ask = askId === undefined ? undefined : this.#asks.get(askId);
    if (!ask || askId === undefined) return;
    if (type === 'ask.seen') ask.span.addEvent('seen', {}, at);
    if (type === 'ask.claimed') {
      const { answer } = JSON.parse(data) as { answer: { outcome: string; behavior?: string; surface: string } };
      this.#end(askId, at, {
        'holdpoint.ask.outcome': answer.behavior ?? answer.outcome,
        'holdpoint.ask.surface': answer.surface,
      });
      const attributes = { 'holdpoint.ask.id': askId };
      const span = this.#tracer.startSpan('ask delivery', { startTime: at, attributes }, ask.parent);
      this.#asks.set(askId, { span, parent: ask.parent });
    }
    if (type === 'ask.delivered' || type === 'ask.undeliverable') this.#end(askId, at, { 'holdpoint.delivery': type });
  }

  #end(askId: string, at: number, attributes: Record<string, string | boolean>): void {
    const ask = this.#asks.get(askId);
    this.#asks.delete(askId);
    ask?.span.setAttributes(attributes);
    ask?.span.end(at);
  }
}

/** Undefined where no SDK is registered. */
export function createTracing(version: string): Tracing | undefined {
  const provider = trace.getTracerProvider();
  const tracer =
    provider instanceof ProxyTracerProvider
      ? provider.getDelegateTracer(NAME, version)
      : provider.getTracer(NAME, version);
  return tracer && new Tracing(tracer);
}

// One trace from the agent's call through the human wait to the resumed call, as an OpenTelemetry SDK receives it.
import { propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, expect, it } from 'vitest';
import { createTracing } from '../../src/server/tracing.ts';
import { answer, held, ok, showAsk } from '../support/api-calls.ts';
import { serverForAll } from '../support/shared-fixtures.ts';

const exporter = new InMemorySpanExporter();
const untraced = createTracing('test');
const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
provider.register();
const server = serverForAll({ tracing: createTracing('test') });

afterAll(async () => {
  await provider.shutdown();
  trace.disable();
  propagation.disable();
});

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const AGENT = { headers: { traceparent: `00-${TRACE}-b7ad6b7169203331-01` } };
const named = (name: string): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((span) => span.name === name && span.spanContext().traceId === TRACE);

it('is absent where no SDK is registered', () => {
  expect(untraced).toBeUndefined();
});

it('puts the wait and the delivery below the call that asked, in the trace of the agent', async () => {
  const { runId, sessionId } = await held(server);
  const question = { kind: 'question', tool_call_id: 'traced', questions: [{ id: 'notes', question: 'Which?' }] };
  const raised = await server.post<{ ask_id: string }>(`/v1/runs/${runId}/asks`, question, AGENT);
  const { ask_id } = raised.body;
  const read = await server.get(`/v1/asks/${ask_id}`, AGENT);
  await server.post(`/v1/asks/${ask_id}/seen`);
  const reply = [{ question_id: 'notes', freeform_answer: 'the second' }];
  await ok(answer(server, { runId, sessionId, ask: await showAsk(server, ask_id) }, reply));
  await ok(server.post(`/v1/asks/${ask_id}/delivered`, {}, AGENT));
  await expect.poll(() => named('ask delivery')?.ended).toBe(true);

  const [call, wait, delivery, resumed] = [
    'POST /v1/runs/:run_id/asks',
    'ask wait',
    'ask delivery',
    'POST /v1/asks/:ask_id/delivered',
  ].map(named);
  expect(call?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(resumed?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  for (const span of [wait, delivery]) expect(span?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  expect(wait?.attributes).toMatchObject({
    'holdpoint.ask.id': ask_id,
    'holdpoint.ask.kind': 'question',
    'holdpoint.ask.outcome': 'answered',
    'holdpoint.ask.surface': 'api',
  });
  expect(wait?.events.map(({ name }) => name)).toEqual(['seen']);
  expect(delivery?.attributes['holdpoint.delivery']).toBe('ask.delivered');
  expect(raised.headers.traceparent).toBe(`00-${TRACE}-${call?.spanContext().spanId}-01`);
  expect(read.headers.traceparent).toBe(`00-${TRACE}-${wait?.spanContext().spanId}-01`);
});

it('does not show a caller who may not see an ask that its id exists', async () => {
  const { runId } = await held(server);
  const question = { kind: 'question', tool_call_id: 'hidden', questions: [{ id: 'notes', question: 'Which?' }] };
  const raised = await server.post<{ ask_id: string }>(`/v1/runs/${runId}/asks`, question, AGENT);
  const asStranger = { token: null, ...AGENT };
  const [known, unknown] = [
    await server.get(`/v1/asks/${raised.body.ask_id}`, asStranger),
    await server.get('/v1/asks/ask_nope', asStranger),
  ];
  expect([known.status, unknown.status]).toEqual([401, 401]);
  const ids = exporter.getFinishedSpans().map((span) => span.spanContext().spanId);
  const shown = [known, unknown].map(({ headers }) => String(headers.traceparent).split('-')[2]);
  expect(ids).toEqual(expect.arrayContaining(shown));
});

it.each([
  'garbage',
  '00-0-0-00',
  `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  `ff-${TRACE}-b7ad6b7169203331-01`,
  '\u00ff',
])('begins a trace of its own for a caller that sends %j as traceparent', async (traceparent) => {
  const { status, headers } = await server.get('/v1/me', { headers: { traceparent } });
  expect(status).toBe(200);
  expect(headers.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  expect(headers.traceparent).not.toContain(TRACE);
});

it('has no span for probes, and no text of an ask in any', async () => {
  await server.get('/healthz', { token: null });
  const spans = exporter.getFinishedSpans();
  expect(spans.filter(({ name }) => name.includes('healthz'))).toEqual([]);
  expect(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]))).not.toMatch(/Which|the second/);
});

// Bad input on every route of the OpenAPI document: each request gets a clear problem and changes nothing, and the server
// stays healthy. Routes are found in the document; there is no list of routes here.
// Covers: src/core/bodies.ts, src/core/fields.ts, src/server/body.ts, src/server/request.ts
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openStream, type Received, type Sent, send } from '../support/http.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';
import { type Random, seeded } from '../support/seeded-random.ts';
import { BODIES, CONTENT_TYPES, PATH_IDS, QUERY_VALUES, VALUES } from './nasty.ts';
import { edited, spoilt, strictPlaces } from './samples.ts';
import { createTestBed, type Route, routesOf, type TestBed } from './test-bed.ts';
import { faultOf } from './verdict.ts';

/** Doors that keep the error bodies of their own protocols. */
const OTHER_DOORS = /^\/(mcp|opencode)/;
/** Needs a browser's cookie or Origin: test/server/routes/sign-in.test.ts sends these their bad input. */
const BROWSERS_ONLY = /^\/v1\/sign-(in|out)$/;
const SPOILT_PER_ROUTE = 120;
const BATCH = 30;
const TEN_MEGABYTES = 10 * 1024 * 1024;
const ALLOWED_GROWTH_BYTES = 150 * 1024 * 1024;

// Generous, for machines that do much else meanwhile.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

let server: Holdpoint;
let routes: Route[];
let random: Random;
let sent = 0;
let memoryBefore: number;

beforeAll(async () => {
  random = seeded('fuzz');
  server = await startHoldpoint({ via: 'main' });
  routes = (await routesOf(server)).filter(({ path }) => !OTHER_DOORS.test(path) && !BROWSERS_ONLY.test(path));
  memoryBefore = await memory();
});
afterAll(endEverything);

it('has a valid sample body for every route that takes one', async () => {
  expect(routes.length).toBeGreaterThanOrEqual(45);
  const any = await createTestBed(server);
  for (const route of writing()) {
    const variants = any.bodiesOf(route, false).length;
    expect(variants).toBeGreaterThan(0);
    for (let i = 0; i < variants; i++) {
      const bed = await createTestBed(server);
      const body = bed.bodiesOf(route, false)[i];
      const { status, text } = await bed.call({ method: route.method, path: bed.pathOf(route), body });
      const verdict = status < 300 ? 'accepted' : `refused, so that test-bed.ts has to know what it takes: ${text}`;
      expect(`${route.method} ${route.path}: ${verdict}`).toBe(`${route.method} ${route.path}: accepted`);
    }
  }
  // Whom nobody can reach is not told of what the other tests raise.
  for (const [kind, id] of [
    ['notices/devices', 'device_id'],
    ['webhooks', 'webhook_id'],
  ] as const)
    for (const each of (await any.call<Record<string, string>[]>({ path: `/v1/${kind}` })).body)
      await any.call({ method: 'DELETE', path: `/v1/${kind}/${each[id]}` });
});

it('refuses malformed and wrong JSON on every route, and changes nothing', async () => {
  const bed = await createTestBed(server);
  for (const route of writing())
    await allRefused(
      bed,
      BODIES.map((raw) => ({ method: route.method, path: bed.pathOf(route), raw })),
    );
});

it('names every unknown field, at every depth', async () => {
  const bed = await createTestBed(server);
  for (const route of writing())
    for (const sample of bed.bodiesOf(route, true)) {
      const places = strictPlaces(route.body ?? {}, sample);
      expect(places.length).toBeGreaterThan(0);
      const responses = await allRefused(
        bed,
        places.map((at) => ({
          method: route.method,
          path: bed.pathOf(route),
          body: edited(sample, at, (value) => ({ ...Object(value), no_such_field: 1 })),
        })),
      );
      for (const { text } of responses) expect(text).toContain('no_such_field');
    }
});

it('survives a valid body with one value replaced', async () => {
  let compared = 0;
  for (const route of writing())
    for (let done = 0; done < SPOILT_PER_ROUTE; done += BATCH) {
      const bed = await createTestBed(server);
      const samples = [...bed.bodiesOf(route, true), ...bed.bodiesOf(route, false)];
      const requests = Array.from({ length: BATCH }, () => ({
        method: route.method,
        path: bed.pathOf(route),
        raw: spoilt(random.pick(samples), VALUES, random),
      }));
      const responses = await all(bed, requests);
      // What was refused is refused again, now on its own, and changes nothing.
      const refused = requests.filter((_, i) => (responses[i]?.status ?? 0) >= 400);
      const before = await bed.state();
      const again = await all(bed, refused);
      if (again.some((response) => response.status < 300)) continue;
      expect(await bed.state()).toBe(before);
      compared += 1;
    }
  expect(compared).toBeGreaterThan(writing().length);
});

it('refuses impossible ids in every path', async () => {
  const bed = await createTestBed(server);
  for (const route of routes.filter(({ path }) => path.includes('{'))) {
    const body = route.body && { body: bed.bodiesOf(route, false)[0] };
    const requests = [...route.path.matchAll(/\{\w+\}/g)].flatMap(([hole]) =>
      PATH_IDS.map((id) => {
        const path = bed.pathOf({ ...route, path: route.path.replace(hole, () => `@@`) }).replace('@@', () => id);
        return { method: route.method, path, ...body };
      }),
    );
    await allRefused(bed, requests);
  }
});

it('survives odd values and repeated or unknown names in every query', async () => {
  const bed = await createTestBed(server);
  for (const route of routes.filter(({ method }) => method === 'GET')) {
    const path = bed.pathOf(route);
    const queries = [
      ...route.query.flatMap((name) => QUERY_VALUES.map((value) => `${name}=${value}`)),
      ...route.query.flatMap((name) => [`${name}=1&${name}=2`, `${name}[]=1`, `${name}[a]=1`, name]),
    ];
    await all(
      bed,
      queries.map((query) => ({ path: `${path}?${query}` })),
    );
    if (route.query.length === 0) continue;
    await allRefused(
      bed,
      ['no_such_parameter=1', '__proto__=1', 'constructor=1', `${'x'.repeat(5000)}=1`].map((query) => ({
        path: `${path}?${query}`,
      })),
    );
  }
});

it('refuses other content types, methods and credentials on every route', async () => {
  const bed = await createTestBed(server);
  const taken = new Set(routes.map((route) => `${route.method} ${route.path}`));
  for (const route of routes) {
    const path = bed.pathOf(route);
    const requests: Sent[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
      .filter((method) => !taken.has(`${method} ${route.path}`))
      .map((method) => ({ method, path }));
    if (route.body) {
      const raw = JSON.stringify(bed.bodiesOf(route, false)[0]);
      for (const type of CONTENT_TYPES)
        requests.push({ method: route.method, path, raw, headers: { 'content-type': type } });
    }
    const closed = !['/healthz', '/readyz'].includes(route.path);
    const body = route.body && { body: bed.bodiesOf(route, false)[0] };
    if (closed)
      for (const authorization of [
        '',
        'Bearer',
        'Bearer ',
        'Bearer x',
        `Bearer ${'x'.repeat(8000)}`,
        'Basic eDp5',
        'ä',
      ])
        requests.push({ method: route.method, path, ...body, headers: { authorization } });
    // Probes and scrapers reach these by any address.
    const anyHost = ['/healthz', '/readyz', '/metrics'].includes(path);
    for (const host of anyHost
      ? []
      : ['example.com', 'localhost.example.com', '127.0.0.1.example.com', '[::1', '\u00e4', '@', '..'])
      requests.push({ method: route.method, path, ...body, headers: { host } });
    for (const origin of ['null', 'http://example.com', 'file://', 'http://localhost.example.com', '//', '\u00e4'])
      requests.push({ method: route.method, path, ...body, headers: { origin } });
    await allRefused(bed, requests);
  }
});

it('refuses malformed idempotency keys and leases', async () => {
  const bed = await createTestBed(server);
  // Claims have none, and previews and tests store nothing.
  for (const route of writing().filter(({ path }) => !/\/(claim|preview|test)$/.test(path))) {
    const { idempotency_key: _, ...body } = bed.bodiesOf(route, false)[0] as Record<string, unknown>;
    const request = { method: route.method, path: bed.pathOf(route) };
    const keys = ['', 'x'.repeat(257), '\u0085', 'ä'.repeat(200)];
    await allRefused(bed, [
      ...keys.map((key) => ({ ...request, body, headers: { 'idempotency-key': key } })),
      ...[...keys, '\t', '€'.repeat(86)].map((key) => ({ ...request, body: { ...body, idempotency_key: key } })),
      { ...request, body: { ...body, idempotency_key: 'one' }, headers: { 'idempotency-key': 'another' } },
    ]);
  }
  const output = writing().find(({ path }) => path.endsWith('/output')) as Route;
  await allRefused(
    bed,
    ['', '0', '-1', '1.5', '1e400', 'NaN', 'abc', '9007199254740993', '1, 2'].map((lease) => ({
      path: bed.pathOf(output),
      body: { text: 'late' },
      headers: { 'holdpoint-lease': lease },
    })),
  );
});

it('streams events for any odd Last-Event-ID', async () => {
  const bed = await createTestBed(server);
  const places = ['', '0', '-1', '1.5', '1e3', 'NaN', 'abc', '\u00e4', '9007199254740993', '9'.repeat(400), '1, 2'];
  for (const route of routes.filter(({ path }) => path.endsWith('/events'))) {
    const streams = await Promise.all(
      places.map((place) => {
        const headers = { 'last-event-id': place };
        return openStream(server.url, { path: bed.pathOf(route), token: server.token, headers });
      }),
    );
    expect(streams.map((stream) => stream.status)).toEqual(places.map(() => 200));
    for (const stream of streams) stream.close();
  }
});

describe('a body of ten megabytes', () => {
  it.each(['with its length', 'in chunks'])('is refused by every route when it is sent %s', async (how) => {
    const bed = await createTestBed(server);
    const before = await bed.state();
    const raw = Buffer.from(JSON.stringify({ text: 'x'.repeat(TEN_MEGABYTES) }));
    for (const route of writing()) {
      const headers = how === 'in chunks' ? { 'transfer-encoding': 'chunked', 'content-length': undefined } : {};
      const [response] = await all(bed, [{ method: route.method, path: bed.pathOf(route), raw, headers }]);
      expect(response?.status).toBe(413);
    }
    expect(await bed.state()).toBe(before);
  });
});

it('is healthy after all bad input', async () => {
  const bed = await createTestBed(server);
  expect((await bed.call<{ status: string }>({ path: '/healthz' })).body.status).toBe('ok');
  expect((await bed.call<{ status: string }>({ path: '/readyz' })).body.status).toBe('ready');
  const memoryAfter = await memory();
  console.log(`${sent} requests, memory ${megabytes(memoryBefore)} → ${megabytes(memoryAfter)} MB`);
  expect(sent).toBeGreaterThan(5000);
  expect(memoryAfter - memoryBefore).toBeLessThan(ALLOWED_GROWTH_BYTES);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(server.stderr()).not.toMatch(/"level":(50|60)|unhandled|uncaught/i);
});

const writing = () => routes.filter((route) => route.body !== undefined);

/** Sends them all at once; every response must be one a client can act on. */
async function all(bed: TestBed, requests: readonly Sent[]): Promise<Received[]> {
  sent += requests.length;
  const responses = await Promise.all(requests.map((request) => bed.call(request)));
  const faults = responses.flatMap((response, i) => {
    const fault = faultOf(response);
    return fault === undefined ? [] : [`${describeRequest(requests[i])} got ${fault}`];
  });
  expect(faults).toEqual([]);
  return responses;
}

async function allRefused(bed: TestBed, requests: readonly Sent[]): Promise<Received[]> {
  const before = await bed.state();
  const responses = await all(bed, requests);
  const accepted = requests.filter((_, i) => (responses[i]?.status ?? 0) < 400);
  expect(accepted.map(describeRequest)).toEqual([]);
  expect(await bed.state()).toBe(before);
  return responses;
}

function describeRequest(request: Sent | undefined): string {
  const { method = 'GET', path, raw, body, headers } = request as Sent;
  const content = raw ?? (body === undefined ? '' : JSON.stringify(body));
  return `${method} ${path.slice(0, 200)} ${JSON.stringify(headers ?? {}).slice(0, 200)} ${String(content).slice(0, 300)}`;
}

/** What the process holds on to: its heap and what hangs on it outside. */
async function memory(): Promise<number> {
  const { text } = await send(server.url, { path: '/metrics', token: server.token });
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  return value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes');
}

const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024);

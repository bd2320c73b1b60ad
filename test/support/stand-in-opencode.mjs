// Stands in for `opencode serve`: the HTTP routes and the event stream that the adapter uses, with a password, and with what
// is peculiar to the real one: a request exists only in its own folder, a rejected permission rejects all others of its
// session, and an allow is taken and acted on after the session was aborted. What the model does is up to the caller.
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const reads = (argv, name) => argv[argv.indexOf(name) + 1];

/** `prompted(session, text)` is called for each prompt; `messages(sessionId, id)` gives a message, or all. */
export function serveOpencode({
  argv = process.argv,
  env = process.env,
  directory = process.cwd(),
  prompted,
  messages,
}) {
  const streams = new Set();
  const open = new Map();
  const sessions = new Map();
  const busy = new Set();
  const password = env.OPENCODE_SERVER_PASSWORD;
  const expected = password && `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`;
  /**
   * How many of the next replies fail before they are read, as when the server is briefly overloaded; or every request, with
   * `isAway` called for it. Replies are read once `held` is resolved, and what waits in `folder` cannot be listed.
   */
  const failing = { replies: 0, failed: 0, isAway: undefined, held: undefined, folder: undefined };
  let made = 0;

  const write = (stream, event) => stream.write(`data: ${JSON.stringify(event)}\n\n`);
  function emit(type, properties, from = directory) {
    for (const stream of streams) write(stream, { directory: from, payload: { id: 'evt', type, properties } });
  }

  /** Resolves to the reply: `{ reply, message }` or `{ answers }`, or undefined where it was rejected. */
  function ask(kind, request) {
    made += 1;
    const id = `${kind === 'permission' ? 'per' : 'que'}_${process.pid}_${made}`;
    const asked = { sessionID: 'ses_1', ...request, id };
    const { promise, resolve } = Promise.withResolvers();
    open.set(id, { kind, asked, resolve, from: sessions.get(asked.sessionID)?.directory ?? directory });
    emit(`${kind}.asked`, asked, open.get(id).from);
    return Object.assign(promise, { id });
  }

  function settle(id, type, more, result) {
    const { asked, resolve, from } = open.get(id);
    open.delete(id);
    emit(type, { sessionID: asked.sessionID, requestID: id, ...more }, from);
    resolve(result);
  }

  function reply(id, kind, body) {
    if (kind === 'question') return settle(id, 'question.replied', body, body);
    const { sessionID } = open.get(id).asked;
    settle(id, 'permission.replied', { reply: body.reply }, body);
    if (body.reply !== 'reject') return;
    for (const [other, { kind: k, asked }] of open)
      if (k === 'permission' && asked.sessionID === sessionID)
        settle(other, 'permission.replied', { reply: 'reject' }, { reply: 'reject' });
  }

  function setBusy(sessionID, isBusy) {
    if (isBusy) busy.add(sessionID);
    else busy.delete(sessionID);
    const from = sessions.get(sessionID)?.directory ?? directory;
    emit('session.status', { sessionID, status: { type: isBusy ? 'busy' : 'idle' } }, from);
    if (!isBusy) emit('session.idle', { sessionID }, from);
  }

  function addSession(session) {
    const added = { directory, ...session };
    sessions.set(added.id, added);
    return added;
  }

  function abort(sessionID) {
    emit('session.error', { sessionID, error: { name: 'MessageAbortedError', data: { message: 'Aborted' } } });
    setBusy(sessionID, false);
    return true;
  }

  const listed = (kind, at) =>
    [...open.values()].filter((one) => one.kind === kind && one.from === at).map(({ asked }) => asked);

  async function route(method, path, at, body) {
    const [, first, id, third, fourth] = path.split('/');
    const found = open.get(id);
    if (path === '/global/health') return { healthy: true };
    if (path === '/experimental/session') return [...sessions.values()];
    if (path === '/session/status') return Object.fromEntries([...busy].map((one) => [one, { type: 'busy' }]));
    if (first === 'permission' || first === 'question') {
      if (method === 'GET') return at === failing.folder ? undefined : listed(first, at);
      await failing.held;
      if (failing.replies > 0) {
        failing.replies -= 1;
        failing.failed += 1;
        throw new Error('overloaded');
      }
      if (!found || found.from !== at) return undefined;
      if (third === 'reject') settle(id, 'question.rejected', {}, undefined);
      else reply(id, first, body);
      return true;
    }
    if (path === '/session') return addSession({ id: 'ses_1', title: body.title });
    if (!sessions.has(id)) return undefined;
    if (third === undefined) return sessions.get(id);
    if (third === 'message') return messages(id, fourth);
    if (third === 'abort') return abort(id);
    if (third === 'prompt_async') {
      setBusy(id, true);
      void prompted(sessions.get(id), body.parts[0].text);
      return null;
    }
    return undefined;
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://x');
    if (failing.isAway?.(`${request.method} ${pathname}`)) return request.socket.destroy();
    if (expected && request.headers.authorization !== expected) return response.writeHead(401).end();
    if (pathname === '/global/event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      streams.add(response.on('close', () => streams.delete(response)));
      return write(response, { payload: { type: 'server.connected', properties: {} } });
    }
    const body = request.method === 'POST' ? await json(request) : undefined;
    const at = searchParams.get('directory') ?? directory;
    const result = await route(request.method, pathname, at, body).catch(() => request.socket.destroy());
    if (request.socket.destroyed) return;
    if (result === null) return response.writeHead(204).end();
    response.writeHead(result === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(result ?? { _tag: 'NotFoundError' }));
  });
  server.listen(Number(reads(argv, '--port') ?? 0), '127.0.0.1', () =>
    process.stdout.write(`opencode server listening on http://127.0.0.1:${server.address().port}\n`),
  );
  /** Ends every event stream, as a connection that is cut off. */
  const cutStreams = () => [...streams].map((stream) => stream.destroy());
  return { ask, emit, settle, setBusy, abort, addSession, open, failing, cutStreams, server };
}

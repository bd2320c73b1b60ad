// The push service that Chromium itself speaks to, in place of Google's: it checks the browser in, gives out subscriptions,
// and passes messages on over the browser's own connection, still encrypted. What a browser does with push can so be tested
// without a network: `pushManager.subscribe()`, decryption, and the event in the service worker are Chromium's own.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { bytesField, fixed64Field, numberField, varint } from './protobuf.ts';

/** Of the protocol between Chromium and its push service: google_apis/gcm/protocol/mcs.proto. */
const VERSION = 41;
const LOGIN_RESPONSE = 3;
const DATA_MESSAGE = 8;

interface Subscription {
  appId: string;
  sender: string;
}

export class ChromiumPushService {
  /** What was passed on, as it arrived. */
  readonly relayed: Buffer[] = [];
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #connections = new Set<TLSSocket>();
  readonly #http = createServer((request, response) => void this.#handle(request, response));
  readonly #tls: ReturnType<typeof createTlsServer>;

  private constructor(certificate: { key: string; cert: string }) {
    this.#tls = createTlsServer(certificate, (socket) => this.#logIn(socket));
  }

  static async start(certificate: { key: string; cert: string }): Promise<ChromiumPushService> {
    const service = new ChromiumPushService(certificate);
    await Promise.all(
      [service.#http, service.#tls].map((each) => new Promise<void>((done) => each.listen(0, '127.0.0.1', done))),
    );
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** Where servers send messages for a subscription, which the browser believes to be at Google's. */
  endpoint(given: string): string {
    return `http://${this.host}/send/${given.split('/').at(-1)}`;
  }

  /** Arguments with which Chromium uses this service. */
  get args(): string[] {
    const { port } = this.#tls.address() as AddressInfo;
    return [
      `--gcm-checkin-url=http://${this.host}/checkin`,
      `--gcm-registration-url=http://${this.host}/register`,
      `--gcm-mcs-endpoint=https://127.0.0.1:${port}`,
      '--ignore-certificate-errors',
    ];
  }

  async stop(): Promise<void> {
    for (const socket of this.#connections) socket.destroy();
    this.#http.closeAllConnections();
    await Promise.all([this.#http, this.#tls].map((each) => new Promise((done) => each.close(done))));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const [, kind, token = ''] = (request.url ?? '').split('/');
    if (kind === 'checkin') return void response.end(checkedIn());
    if (kind === 'register') return void response.end(this.#register(new URLSearchParams(body.toString())));
    const subscription = this.#subscriptions.get(token);
    if (!subscription) return void response.writeHead(410).end();
    this.relayed.push(body);
    for (const socket of this.#connections) socket.write(dataMessage(subscription, body));
    response.writeHead(201).end();
  }

  #register(form: URLSearchParams): string {
    if (form.get('delete') === 'true') {
      for (const [token, { appId }] of this.#subscriptions)
        if (appId === form.get('X-subtype')) this.#subscriptions.delete(token);
      return `deleted=${form.get('app') ?? ''}`;
    }
    const token = randomBytes(24).toString('base64url');
    this.#subscriptions.set(token, { appId: form.get('X-subtype') ?? '', sender: form.get('sender') ?? '' });
    return `token=${token}`;
  }

  #logIn(socket: TLSSocket): void {
    this.#connections.add(socket);
    socket.once('data', () =>
      socket.write(Buffer.concat([Buffer.of(VERSION), stanza(LOGIN_RESPONSE, bytesField(1, 'login'))])),
    );
    socket.on('error', () => {});
    socket.on('close', () => this.#connections.delete(socket));
  }
}

/** AndroidCheckinResponse: stats_ok, android_id, security_token. */
const checkedIn = (): Buffer => Buffer.concat([numberField(1, 1), fixed64Field(7, 4711n), fixed64Field(8, 4712n)]);

const stanza = (tag: number, body: Buffer): Buffer => Buffer.concat([Buffer.of(tag), varint(body.length), body]);

/** DataMessageStanza: from, category, app_data, persistent_id, ttl, sent, raw_data. */
function dataMessage({ appId, sender }: Subscription, encrypted: Buffer): Buffer {
  const data = (key: string, value: string) => bytesField(7, Buffer.concat([bytesField(1, key), bytesField(2, value)]));
  return stanza(
    DATA_MESSAGE,
    Buffer.concat([
      bytesField(3, sender),
      bytesField(5, 'org.chromium.linux'),
      data('subtype', appId),
      data('content-encoding', 'aes128gcm'),
      bytesField(9, randomBytes(8).toString('hex')),
      numberField(17, 60),
      numberField(18, Math.floor(Date.now() / 1000)),
      bytesField(21, encrypted),
    ]),
  );
}

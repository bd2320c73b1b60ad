// A push service of our own: browsers of the test subscribe to it with real keys, it takes messages over HTTP as the
// services of browsers do, checks who sent them (VAPID), and decrypts them for the browser (RFC 8291), as a browser does.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PushPayload } from '../../src/notices/channels/push.ts';

export interface Pushed {
  payload: PushPayload;
  headers: IncomingHttpHeaders;
  /** What the sender's token says of itself. */
  claims: { aud: string; exp: number; sub: string };
}

export interface TestBrowser {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** Every message that was taken, repeats too. */
  received: Pushed[];
  /** What a person sees: the last message of each tag, as the service worker shows it. */
  shown(): Map<string, PushPayload>;
}

/** What the service does with a message; `take` unless a test wants otherwise. */
type Mood = (response: ServerResponse, take: () => void) => void;

const readily: Mood = (response, take) => {
  take();
  response.writeHead(201).end();
};

export class PushService {
  mood: Mood = readily;
  readonly #browsers = new Map<string, { browser: TestBrowser; ecdh: ReturnType<typeof createECDH>; auth: Buffer }>();
  readonly #http = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const known = this.#browsers.get(request.url ?? '');
      if (!known) return response.writeHead(410).end();
      const { browser, ecdh, auth } = known;
      const take = () => {
        const claims = checkSender(request.headers, this.url);
        const payload = JSON.parse(decrypt(Buffer.concat(chunks), ecdh, auth)) as PushPayload;
        browser.received.push({ payload, headers: request.headers, claims });
      };
      this.mood(response, take);
    });
  });

  static async start(): Promise<PushService> {
    const service = new PushService();
    await new Promise<void>((resolve) => service.#http.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get host(): string {
    return `127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  browser(): TestBrowser {
    const ecdh = createECDH('prime256v1');
    const p256dh = ecdh.generateKeys().toString('base64url');
    const auth = randomBytes(16);
    const path = `/push/${randomBytes(8).toString('hex')}`;
    const received: Pushed[] = [];
    const browser: TestBrowser = {
      subscription: { endpoint: this.url + path, keys: { p256dh, auth: auth.toString('base64url') } },
      received,
      shown: () => new Map(received.map(({ payload }) => [payload.tag, payload])),
    };
    this.#browsers.set(path, { browser, ecdh, auth });
    return browser;
  }

  /** The person has removed the site's permission. */
  unsubscribe({ subscription }: TestBrowser): void {
    this.#browsers.delete(new URL(subscription.endpoint).pathname);
  }

  async stop(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}

function checkSender(headers: IncomingHttpHeaders, audience: string): Pushed['claims'] {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  const [head = '', body = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${head}.${body}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Pushed['claims'];
  if (!isGenuine || claims.aud !== audience) throw new Error('the sender did not prove who it is');
  return claims;
}

/** RFC 8291 with the content encoding of RFC 8188. */
function decrypt(message: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = message.subarray(0, 16);
  const keyLength = message[20] ?? 0;
  const senderKey = message.subarray(21, 21 + keyLength);
  const sealed = message.subarray(21 + keyLength);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), senderKey]);
  const secret = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(senderKey), auth, info, 32));
  const contentKey = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', secret, salt, 'Content-Encoding: nonce\0', 12));
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return plain.subarray(0, plain.lastIndexOf(2)).toString();
}

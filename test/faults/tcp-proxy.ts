// A TCP proxy that can be told to misbehave: slow, silent, deaf, cutting connections, closing one half of them, or
// letting requests through and swallowing what comes back. Knows nothing of what is said over it.
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

interface Pair {
  near: Socket;
  far: Socket;
  /** Was silent for a while; what was said meanwhile is lost, so it can only be cut. */
  spoilt: boolean;
}

export class TcpProxy {
  delayMs = 0;
  /** New connections are refused. */
  refusing = false;
  /** Connections stay open and nothing passes; `heal` cuts them. */
  silent = false;
  /** What comes back is swallowed, and the connection is cut instead. */
  swallowing = false;
  swallowed = 0;
  readonly #target: () => number | undefined;
  readonly #pairs = new Set<Pair>();
  readonly #server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => this.#join(near));

  private constructor(target: () => number | undefined) {
    this.#target = target;
  }

  /** `target` is asked for every connection; without one it is refused. */
  static async open(target: () => number | undefined): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts connections for which `chosen` says so. */
  cut(chosen: () => boolean = () => true): void {
    for (const pair of [...this.#pairs]) if (chosen()) this.#sever(pair);
  }

  /** One side hears that the other has no more to say; the other does not know. */
  halfClose(chosen: () => boolean = () => true): void {
    for (const { near, far } of [...this.#pairs]) (chosen() ? near : far).end();
  }

  heal(): void {
    this.delayMs = 0;
    this.refusing = false;
    this.silent = false;
    this.swallowing = false;
    for (const pair of [...this.#pairs]) if (pair.spoilt) this.#sever(pair);
  }

  close(): void {
    this.#server.close();
    this.cut();
  }

  #join(near: Socket): void {
    near.on('error', () => {});
    const port = this.#target();
    if (port === undefined || this.refusing) {
      near.resetAndDestroy();
      return;
    }
    const far = dial({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    far.on('error', () => near.resetAndDestroy());
    const pair = { near, far, spoilt: false };
    this.#pairs.add(pair);
    this.#carry(pair, near, far);
    this.#carry(pair, far, near);
    const gone = () => this.#sever(pair);
    near.once('close', gone);
    far.once('close', gone);
  }

  /** In order, also when the delay changes meanwhile. */
  #carry(pair: Pair, from: Socket, to: Socket): void {
    let earlier = Promise.resolve();
    let waiting = 0;
    const pass = (chunk: Buffer | undefined) => {
      if (this.silent) pair.spoilt = true;
      if (pair.spoilt) return;
      if (chunk === undefined) return void to.end();
      if (this.swallowing && from === pair.far) {
        this.swallowed += 1;
        return this.#sever(pair);
      }
      if (to.writable) to.write(chunk);
    };
    const take = (chunk: Buffer | undefined) => {
      if (this.delayMs === 0 && waiting === 0) return pass(chunk);
      waiting += 1;
      earlier = earlier
        .then(() => sleep(this.delayMs))
        .then(() => {
          waiting -= 1;
          pass(chunk);
        });
    };
    from.on('data', take);
    from.once('end', () => take(undefined));
  }

  #sever(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return;
    pair.near.resetAndDestroy();
    pair.far.resetAndDestroy();
  }
}

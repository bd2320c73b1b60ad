// Stands between a server and PostgreSQL and notes what would not work behind a transaction-mode pooler: LISTEN, and
// statements kept under a name. Passes everything on.
import { type AddressInfo, createServer, connect as dial, type Server } from 'node:net';

const LISTEN = /LISTEN holdpoint/;
/** A Parse message: `P`, four bytes of length, then a name that is not empty. */
const NAMED = /P[\s\S]{4}[A-Za-z_]\w*\0/;

export class Eavesdropper {
  listens = 0;
  named = 0;
  readonly #server: Server;

  static async open(port: number): Promise<Eavesdropper> {
    const eavesdropper = new Eavesdropper(port);
    await new Promise<void>((resolve) => eavesdropper.#server.listen(0, '127.0.0.1', resolve));
    return eavesdropper;
  }

  private constructor(port: number) {
    this.#server = createServer((near) => {
      const far = dial(port, '127.0.0.1');
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
      near.on('data', (chunk) => {
        const text = chunk.toString('latin1');
        if (LISTEN.test(text)) this.listens += 1;
        if (NAMED.test(text)) this.named += 1;
      });
      near.pipe(far);
      far.pipe(near);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.close();
  }
}

// Stands between Claude Code and Holdpoint while transcripts are recorded: passes every call of a hook on, and writes to
// test/transcripts/claude-hooks/<name>.jsonl what was said (`event`), what the reply was (`reply`), and which calls were
// given up without one (`gone`), numbered and in order. Paths of the machine become {{folder}} and {{home}}.
import { appendFileSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const folder = join(import.meta.dirname, '..', '..', 'transcripts', 'claude-hooks');

export class HookRecorder {
  readonly #to: string;
  readonly #server = createServer((request, response) => void this.#pass(request, response));
  #file: string | undefined;
  #names: Record<string, string> = {};
  #calls = 0;

  static async start(to: string): Promise<HookRecorder> {
    const recorder = new HookRecorder(to);
    await new Promise<void>((resolve) => recorder.#server.listen(0, '127.0.0.1', resolve));
    return recorder;
  }

  private constructor(to: string) {
    this.#to = to;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Without a name nothing is written. */
  begin(name: string | undefined, names: Record<string, string>): void {
    this.#file = name === undefined ? undefined : join(folder, `${name}.jsonl`);
    this.#names = names;
    this.#calls = 0;
    mkdirSync(folder, { recursive: true });
    if (this.#file) rmSync(this.#file, { force: true });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.#file;
    this.#calls += 1;
    const n = this.#calls;
    const body = await text(request);
    this.#write(file, { n, event: JSON.parse(body) });
    const gone = new AbortController();
    response.once('close', () => {
      if (response.writableEnded) return;
      this.#write(file, { n, gone: true });
      gone.abort();
    });
    const headers = { authorization: String(request.headers.authorization), 'content-type': 'application/json' };
    try {
      const passed = await fetch(this.#to + request.url, { method: 'POST', headers, body, signal: gone.signal });
      const reply = await passed.text();
      this.#write(file, { n, reply: JSON.parse(reply) });
      response.writeHead(passed.status, { 'content-type': 'application/json' }).end(reply);
    } catch {
      response.destroy();
    }
  }

  #write(file: string | undefined, line: object): void {
    if (file === undefined) return;
    const said = Object.entries(this.#names).reduce(
      (t, [path, name]) => t.replaceAll(path, name),
      JSON.stringify(line),
    );
    appendFileSync(file, `${said}\n`);
  }
}

// A scripted model on loopback, so that a real agent can be run without a key: each request is answered by the next step
// of a script, and everything the agent sent is kept. What an answer made of it is proven by what the model was told.
// Each wire is a front in a file of its own; a server speaks all that it was given.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { anthropic } from './model-anthropic.ts';
import { chat } from './model-chat.ts';
import { gemini } from './model-gemini.ts';
import { ScriptedServer } from './scripted-server.ts';

export type Block = { text: string } | { tool: string; input: Record<string, unknown>; id?: string };
/** The provider refuses the request. */
export interface Refusal {
  status: number;
  error: object;
}
export type Step = Block[] | Refusal | ((told: string) => Block[] | Promise<Block[]>);
/** What the model says to a request; the last step is said again to every further one. */
export type Script = Step[];

/** What a step became: calls have ids, unique over the life of the server. */
export type Said = { text: string } | { tool: string; input: Record<string, unknown>; id: string };

export interface Front {
  /** Whether a request is for this front. */
  takes(method: string, path: string): boolean;
  /** Whether a request belongs to no conversation: it is answered with a few words, and kept nowhere. */
  isAside?(body: Record<string, unknown>): boolean;
  /** Writes the reply to one request. `serial` counts requests. */
  reply(response: ServerResponse, body: Record<string, unknown>, said: Said[], serial: number, path: string): void;
}

/** What every scripted model says to a comment of a person: no step of its script. */
export const REPLY = 'It is needed for the build.';
/** What a comment says that the model of the fixture then tries to act on instead of replying. */
export const TEMPTING = 'do it now';
export const isComment = (told: string): boolean => told.includes('Before deciding, the person comments');

const fronts: readonly Front[] = [anthropic, chat, gemini];

export class Model extends ScriptedServer {
  /** Every request of a conversation, as JSON text. */
  readonly told: string[] = [];
  /** The call that it makes once, where a comment tempts it. */
  actsOnComment: Block | undefined;
  readonly #scripts = new Map<string, { steps: Script; next: number }>();
  #calls = 0;

  static start = (): Promise<Model> => new Model().listen();

  get url(): string {
    return this.origin;
  }

  /** With a marker the script is for conversations that hold that text; several may be played at once. */
  play(script: Script, marker = ''): void {
    this.#scripts.set(marker, { steps: script, next: 0 });
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    const front = fronts.find((f) => f.takes(request.method ?? '', pathname));
    if (!front) {
      if (request.method !== 'HEAD') this.others.push(`${request.method} ${pathname}`);
      response.writeHead(request.method === 'HEAD' ? 200 : 404, { 'content-type': 'application/json' });
      response.end(request.method === 'HEAD' ? undefined : '{}');
      return;
    }
    const body = (await json(request)) as Record<string, unknown>;
    const told = JSON.stringify(body);
    if (isComment(told)) {
      const acts = told.includes(TEMPTING) ? this.actsOnComment : undefined;
      if (acts) this.actsOnComment = undefined;
      return front.reply(response, body, [acts ?? { text: REPLY }].map(this.#said), 0, pathname);
    }
    if (front.isAside?.(body)) return front.reply(response, body, [{ text: 'A title' }], 0, pathname);
    const serial = this.told.push(told);
    const step = this.#next(told);
    const blocks = typeof step === 'function' ? await step(told) : step;
    if (Array.isArray(blocks)) return front.reply(response, body, blocks.map(this.#said), serial, pathname);
    response.writeHead(blocks.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: blocks.error }));
  }

  #next(told: string): Step {
    const marked = [...this.#scripts].find(([marker]) => marker !== '' && told.includes(marker));
    const script = marked?.[1] ?? this.#scripts.get('');
    if (!script) return [{ text: 'nothing to say' }];
    const step = script.steps[Math.min(script.next, script.steps.length - 1)];
    script.next += 1;
    return step ?? [{ text: 'nothing to say' }];
  }

  #said = (block: Block): Said => {
    if ('text' in block) return block;
    this.#calls += 1;
    return { ...block, id: block.id ?? `toolu_${this.#calls}` };
  };
}

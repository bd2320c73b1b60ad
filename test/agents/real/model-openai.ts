// The scripted model on the OpenAI Responses wire, as much of it as Codex needs. Several conversations at once: each
// script has a key, and answers the conversations in whose prompt that key stands. Everything the agent sent is kept,
// because the proof that an answer arrived is what the model was told.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { isComment, REPLY, TEMPTING } from './model.ts';
import { ScriptedServer } from './scripted-server.ts';

export type Output =
  | { text: string }
  | { call: string; input: Record<string, unknown>; id?: string; namespace?: string }
  | { patch: string; id?: string };
/** What the model says to the requests of a conversation, one after the other; a step may depend on what it was told. */
export type Script = (Output[] | ((told: Told) => Output[]))[];

export interface Told {
  model: string;
  input: { type?: string; role?: string; call_id?: string; output?: unknown; content?: unknown }[];
  text?: { format?: { name?: string } };
  tools?: { name?: string; type?: string }[];
  reasoning?: { effort?: string } | null;
}

/** In a terminal Codex also asks for a title of the conversation: no part of any script. */
const TITLE: Output = { text: '{"title":"A title"}' };

interface Playing {
  script: Script;
  next: number;
  told: Told[];
}

export class OpenAiModel extends ScriptedServer {
  /** The call that it makes once, where a comment tempts it. */
  actsOnComment: Output | undefined;
  readonly #playing = new Map<string, Playing>();
  #said = 0;

  static start = (): Promise<OpenAiModel> => new OpenAiModel().listen();

  get url(): string {
    return `${this.origin}/v1`;
  }

  play(key: string, script: Script): void {
    this.#playing.set(key, { script, next: 0, told: [] });
  }

  /** The requests of a conversation so far. */
  told(key: string): Told[] {
    return this.#playing.get(key)?.told ?? [];
  }

  /** What came back for a call, as text; undefined when nothing did. */
  resultOf(key: string, callId: string): string | undefined {
    const outputs = this.told(key).flatMap(({ input }) =>
      input.filter(({ call_id, output }) => call_id === callId && output),
    );
    const last = outputs.at(-1)?.output;
    return last === undefined || typeof last === 'string' ? last : JSON.stringify(last);
  }

  /** What the person's side said in words, in the last request: messages, without the context Codex adds. */
  heard(key: string): string[] {
    const messages =
      this.told(key)
        .at(-1)
        ?.input.filter(({ role }) => role === 'user') ?? [];
    return messages.map(({ content }) => textOf(content)).filter((text) => !text.startsWith('<'));
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body =
      request.method === 'POST' && request.url === '/v1/responses' ? ((await json(request)) as Told) : undefined;
    if (body?.text?.format?.name === 'codex_output_schema') return this.#stream(response, [TITLE]);
    const text = JSON.stringify(body?.input ?? '');
    if (isComment(text)) {
      const acts = text.includes(TEMPTING) ? this.actsOnComment : undefined;
      if (acts) this.actsOnComment = undefined;
      return this.#stream(response, [acts ?? { text: REPLY }]);
    }
    const keys = [...this.#playing.keys()].filter((key) => text.includes(key)).sort((a, b) => b.length - a.length);
    const playing = this.#playing.get(keys[0] ?? '');
    const step = playing?.script[playing.next];
    if (!body || !playing || !step) {
      this.others.push(`${request.method} ${request.url} ${text.slice(-300)}`);
      response
        .writeHead(404, { 'content-type': 'application/json' })
        .end('{"error":{"message":"no step","type":"script"}}');
      return;
    }
    playing.told.push(body);
    playing.next += 1;
    this.#stream(response, typeof step === 'function' ? step(body) : step);
  }

  #stream(response: ServerResponse, step: Output[]): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sequence_number = 0;
    const send = (type: string, data: object) => {
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...data })}\n\n`);
      sequence_number += 1;
    };
    this.#said += 1;
    const about = { id: `resp_${this.#said}`, object: 'response' };
    send('response.created', { response: { ...about, status: 'in_progress', output: [] } });
    const output = step.map((item, i) => this.#item(item, i));
    for (const [output_index, item] of output.entries()) {
      const isMessage = item.type === 'message';
      send('response.output_item.added', { output_index, item: isMessage ? { ...item, content: [] } : item });
      if (isMessage)
        send('response.output_text.delta', {
          item_id: item.id,
          output_index,
          content_index: 0,
          delta: textOf(item.content),
        });
      send('response.output_item.done', { output_index, item });
    }
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    send('response.completed', { response: { ...about, status: 'completed', output, usage } });
    response.end();
  }

  #item(item: Output, place: number): { type: string; id: string; content?: unknown } {
    const id = `it_${this.#said}_${place}`;
    if ('text' in item)
      return { type: 'message', role: 'assistant', id, content: [{ type: 'output_text', text: item.text }] } as never;
    const call_id = item.id ?? `call_${this.#said}_${place}`;
    if ('patch' in item)
      return {
        type: 'custom_tool_call',
        id,
        name: 'apply_patch',
        input: item.patch,
        call_id,
        status: 'completed',
      } as never;
    const { call: name, namespace } = item;
    return {
      type: 'function_call',
      id,
      name,
      ...(namespace && { namespace }),
      arguments: JSON.stringify(item.input),
      call_id,
    } as never;
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return (content as { text?: string }[]).map(({ text }) => text ?? '').join('');
}

// A thread as a test sees it over HTTP: what a person posts, what the thread then shows, in short.
import type { ItemView } from '../../src/core/views.ts';
import { type Fields, ok } from './api-calls.ts';
import type { CallOptions, Reply, Server } from './server.ts';

export const pathOf = (sessionId: string): string => `/v1/threads/thr_${sessionId}/items`;

export const textPost = (text: string, metadata?: Fields): Fields => ({
  content: [{ type: 'text', text }],
  ...(metadata && { metadata }),
});

export const post = (
  server: Server,
  sessionId: string,
  text: string,
  metadata?: Fields,
  options?: CallOptions,
): Promise<Reply<ItemView>> => server.post<ItemView>(pathOf(sessionId), textPost(text, metadata), options);

export const itemsOf = (server: Server, sessionId: string): Promise<ItemView[]> =>
  ok(server.get<ItemView[]>(`${pathOf(sessionId)}?limit=500`));

/** `? what is asked`, `! how it ended`, `name: what a person posted`, `end how`, else what was said. */
export function short({ author, content, metadata }: ItemView): string {
  const { text } = content[0] as { text: string };
  if (author.role === 'user') return `${author.name}: ${text}`;
  if (metadata?.type === 'pending_prompt') return `? ${text.split('\n')[1]}`;
  if (metadata?.type === 'pending_prompt_resolved') return `! ${text}`;
  return metadata?.type === 'turn_end' ? `end ${text}` : text;
}

export const chat = async (server: Server, sessionId: string): Promise<string[]> =>
  (await itemsOf(server, sessionId)).map(short);

// Calls the HTTP API of one OpenCode server. Everything but its event stream is scoped to a folder: in another folder a
// request is not listed, and a reply to it is not found.
import { z } from 'zod';
import { createHttpPeer, type HttpPeerOptions, HttpRefusal } from '../wire/http-peer.ts';
import { Message, type Part, Permission, Question, type Request, ServerEvent, Session, Statuses } from './protocol.ts';

export const USER = 'opencode';
const NOT_FOUND = 404;
const UNAUTHORIZED = 401;
/** How many of the newest sessions are read to find the folders in which one waits. */
const NEWEST_SESSIONS = 50;

/** The reason of a rejection that no person has given. */
export const NOT_WAITING = 'OpenCode no longer waits for it: its turn has ended';

export type Api = ReturnType<typeof createApi>;
export type PermissionReply = { reply: 'once' | 'always' } | { reply: 'reject'; message: string };
export type QuestionReply = { answers: string[][] };

export function createApi(options: HttpPeerOptions) {
  const peer = createHttpPeer(options);
  let isFollowing = false;
  const at = (directory: string, path: string) => `${path}?directory=${encodeURIComponent(directory)}`;
  const get = async <T extends z.ZodType>(shape: T, path: string): Promise<z.infer<T>> =>
    shape.parse(await peer.request('GET', path));

  /** Whether OpenCode still had the request, and has the reply now. */
  async function reply(path: string, body: unknown): Promise<boolean> {
    try {
      await peer.request('POST', path, body);
      return true;
    } catch (error) {
      if (error instanceof HttpRefusal && error.status === NOT_FOUND) return false;
      throw error;
    }
  }

  /** Ends a request that no person answers any more, so that nothing it asked for can happen. */
  const reject = ({ kind, directory, asked }: Request, message: string): Promise<boolean> =>
    kind === 'permission'
      ? reply(at(directory, `/permission/${asked.id}/reply`), { reply: 'reject', message })
      : reply(at(directory, `/question/${asked.id}/reject`), {});

  /** The sessions of a folder that work on a prompt. */
  async function busyIn(directory: string): Promise<Set<string>> {
    const statuses = Object.entries(await get(Statuses, at(directory, '/session/status')));
    return new Set(statuses.filter(([, { type }]) => type !== 'idle').map(([id]) => id));
  }
  const isBusy = async (directory: string, sessionId: string) => (await busyIn(directory)).has(sessionId);

  return {
    /** Follows the events of all folders, until the connection ends. The properties of an event get its folder. */
    async events(onEvent: (type: string, properties: Record<string, unknown>) => void): Promise<void> {
      try {
        await peer.events('/global/event', (data) => {
          isFollowing = true;
          const { directory, payload } = ServerEvent.safeParse(data).data ?? {};
          if (payload) onEvent(payload.type, { ...payload.properties, directory });
        });
      } finally {
        isFollowing = false;
      }
    },
    /** Whether the end of a turn would be known from the events by now. */
    isFollowing: () => isFollowing,
    /**
     * What OpenCode waits for in a folder. It also lists what a turn asked that was aborted, and would act on an allow: that is
     * rejected here.
     */
    async requests(directory: string): Promise<Request[]> {
      const [permissions, questions] = await Promise.all([
        get(z.array(Permission), at(directory, '/permission')),
        get(z.array(Question), at(directory, '/question')),
      ]);
      const listed: Request[] = [
        ...permissions.map((asked) => ({ kind: 'permission' as const, directory, asked })),
        ...questions.map((asked) => ({ kind: 'question' as const, directory, asked })),
      ];
      if (listed.length === 0) return [];
      const busy = await busyIn(directory);
      const isWaiting = ({ asked }: Request) => busy.has(asked.sessionID);
      await Promise.all(listed.filter((one) => !isWaiting(one)).map((one) => reject(one, NOT_WAITING)));
      return listed.filter(isWaiting);
    },
    replyTo: ({ kind, directory, asked }: Request, body: PermissionReply | QuestionReply): Promise<boolean> =>
      reply(at(directory, `/${kind}/${asked.id}/reply`), body),
    reject,
    isBusy,
    session: (directory: string, id: string) => get(Session, at(directory, `/session/${id}`)),
    createSession: async (directory: string, title: string) =>
      Session.parse(await peer.request('POST', at(directory, '/session'), { title })),
    messages: (directory: string, sessionId: string) =>
      get(z.array(Message), at(directory, `/session/${sessionId}/message`)),
    /** The part of a message that is the tool call; undefined while its input is not complete. */
    async call(directory: string, { sessionID, tool }: Permission): Promise<Part | undefined> {
      if (!tool) return undefined;
      const path = at(directory, `/session/${sessionID}/message/${tool.messageID}`);
      const { parts } = await get(Message, path);
      return parts.find(({ callID, state }) => callID === tool.callID && state && state.status !== 'pending');
    },
    prompt: (directory: string, sessionId: string, body: object) =>
      peer.request('POST', at(directory, `/session/${sessionId}/prompt_async`), body),
    /** A session of its own with the same messages. */
    fork: async (directory: string, sessionId: string) =>
      Session.parse(await peer.request('POST', at(directory, `/session/${sessionId}/fork`), {})),
    /** Resolves with the message that replies. */
    say: async (directory: string, sessionId: string, body: object) =>
      Message.parse(await peer.request('POST', at(directory, `/session/${sessionId}/message`), body)),
    abort: (directory: string, sessionId: string) =>
      peer.request('POST', at(directory, `/session/${sessionId}/abort`), {}),
    remove: (directory: string, sessionId: string) => peer.request('DELETE', at(directory, `/session/${sessionId}`)),
    /**
     * The folders of sessions in which a tool call is under way. Listing requests makes OpenCode load a folder with its
     * plugins and servers, so only folders in which something may wait are worth that.
     */
    async waitingFolders(): Promise<string[]> {
      const sessions = await get(z.array(Session), `/experimental/session?limit=${NEWEST_SESSIONS}`);
      const waiting = sessions.map(async ({ id, directory }) => {
        const [last] = (await get(z.array(Message), `/session/${id}/message?limit=1`).catch(() => [])).slice(-1);
        return last?.parts.some(({ state }) => state?.status === 'running') ? [directory] : [];
      });
      return [...new Set((await Promise.all(waiting)).flat())];
    },
    /** Rejects when the server cannot be used. */
    check: () => peer.request('GET', '/global/health'),
  };
}
/** Why an OpenCode server cannot be used, for the person who gave its address. */
export function connectionProblem(url: string, error: unknown): string {
  if (!(error instanceof HttpRefusal)) return `nothing answers at ${url}: start it with \`opencode serve\``;
  if (error.status !== UNAUTHORIZED)
    return `what answers at ${url} is no OpenCode server that can be used (${error.message})`;
  return `the OpenCode server at ${url} does not accept the password: set OPENCODE_SERVER_PASSWORD to the one it was started with`;
}

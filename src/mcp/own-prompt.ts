// The agent's own screen: a client of the 2025 protocol that can elicit is asked there as well as in the inbox. What is
// said there is no answer of the agent's: it takes the ask back with what was said, and whoever waits for the ask, in
// whichever process, finds it in the record. So nothing about a question to a screen is kept in memory.
import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { isJSONRPCResultResponse } from '@modelcontextprotocol/server';
import type { QuestionAnswer } from '../core/answer.ts';
import { isWithdrawn } from '../core/ask.ts';
import type { AskView, QuestionAskView } from '../core/views.ts';
import { elicitationOf, elicitedAnswers } from './elicitation.ts';
import type { ToolBackend } from './tool-backend.ts';

/** Asks there; what it returns ends that. */
export type OwnPrompt = (ask: QuestionAskView, ctx: ServerContext, protocol?: string) => () => void;

const ANSWERED = "answered at the agent's own screen";
const DECLINED = "declined at the agent's own screen";

/** The reply comes back on the connection that asked. */
export const promptOnConnection =
  (backend: ToolBackend): OwnPrompt =>
  (ask, { mcpReq }, protocol) => {
    const over = new AbortController();
    const promptedAt = backend.now();
    const options = { signal: over.signal, timeout: 2 ** 31 - 1 };
    void mcpReq
      .elicitInput(elicitationOf(ask.request.questions, protocol), options)
      .then((reply) => settleAtPrompt(backend, ask, { ...reply, promptedAt }))
      .catch(() => {});
    return () => over.abort('answered elsewhere');
  };

/** The reply comes in a request of its own, to any server: the question's id says which ask it is about. */
export const promptOnStream =
  (mcp: McpServer, { now }: ToolBackend): OwnPrompt =>
  (ask, { mcpReq }, protocol) => {
    const id = `elicit:${ask.ask_id}:${now()}-${crypto.randomUUID()}`;
    const send = (message: { id?: string; method: string; params: object }) =>
      void mcp.server.transport
        ?.send({ jsonrpc: '2.0', ...message } as never, { relatedRequestId: mcpReq.id })
        .catch(() => {});
    send({ id, method: 'elicitation/create', params: elicitationOf(ask.request.questions, protocol) });
    return () => send({ method: 'notifications/cancelled', params: { requestId: id, reason: 'answered elsewhere' } });
  };

/**
 * A reply as it came over HTTP. One that is about nothing we asked, or from an
 * agent without a screen, is let go, as the protocol does.
 */
export async function takeElicitationReply(backend: ToolBackend, message: unknown): Promise<void> {
  if (!isJSONRPCResultResponse(message)) return;
  const [, askId, promptedAt] = /^elicit:(.+):(\d+)-[0-9a-f-]+$/.exec(String(message.id)) ?? [];
  if (askId === undefined || (await backend.session()).isHosted) return;
  const ask = await backend.look(askId, 0);
  if (ask.kind === 'question' && ask.answer === undefined)
    await settleAtPrompt(backend, ask, { ...message.result, promptedAt: Number(promptedAt) });
}

interface Said {
  action?: unknown;
  content?: unknown;
  /** When the prompt was sent. */
  promptedAt: number;
}

/** A client without a person at its screen declines at once: that decides nothing. */
const SHORTEST_READ_MS = 1000;

/** Whether anybody said anything there. Somebody in the inbox may have been first after all: then that counts. */
export async function settleAtPrompt(
  backend: ToolBackend,
  ask: QuestionAskView,
  { action, content, promptedAt }: Said,
): Promise<boolean> {
  if (action === 'decline' && backend.now() - promptedAt < SHORTEST_READ_MS) return false;
  const answers = action === 'accept' ? elicitedAnswers(ask.request.questions, content) : undefined;
  if (action !== 'decline' && (answers === undefined || 'code' in answers)) return false;
  const said = answers as QuestionAnswer[] | undefined;
  await backend.withdraw(ask.ask_id, said ? ANSWERED : DECLINED, said).catch(async (error: unknown) => {
    if ((await backend.look(ask.ask_id, 0)).answer === undefined) throw error;
  });
  return true;
}

/** What was said there, of an ask that was taken back for it. */
export function answerAtPrompt({ answer }: AskView): { answers: QuestionAnswer[] } | 'declined' | undefined {
  if (answer === undefined || !isWithdrawn(answer)) return undefined;
  if (answer.justification === ANSWERED && answer.answers) return { answers: answer.answers };
  return answer.justification === DECLINED ? 'declined' : undefined;
}

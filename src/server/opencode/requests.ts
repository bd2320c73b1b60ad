// Lists pending asks as OpenCode's requests and carries its replies to the gateway, in the name of the token's person. A
// reply to what has ended is answered as OpenCode answers it: the request is not found.
import { HoldpointError } from '../../core/errors.ts';
import type { Page } from '../../core/ports.ts';
import type { Actor } from '../../core/token.ts';
import type { AskView, AskViewOf } from '../../core/views.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Listed } from '../../gateway/inbox.ts';
import { isGone, requestNotFound } from './errors.ts';
import { conversationOf } from './events.ts';
import { askIdOf } from './ids.ts';
import { decisionOf } from './permission.ts';
import type { PermissionReply } from './protocol.ts';
import { isShown, resolutionOf } from './question.ts';
import { folderOf } from './session.ts';

/** OpenCode's lists have no pages: one ends with the request that reaches either, the oldest first. */
const MOST_LISTED = 1000;
const MOST_BYTES = 8 * 1024 * 1024;
const PAGE = 500;

type Kind = AskView['kind'];

/** The caller, and the folder to which it has limited itself. */
export interface Caller {
  gateway: Gateway;
  actor: Actor;
  directory: string | undefined;
}

/** In the order of their ids, by which clients look them up. */
export async function pendingOf<K extends Kind>(kind: K, caller: Caller): Promise<AskViewOf<K>[]> {
  const { gateway, actor } = caller;
  const found: AskViewOf<K>[] = [];
  const isInFolder = folderCheck(caller);
  let bytes = 0;
  for await (const ask of everyOne((page) => gateway.listAsks({ status: 'pending', kind }, page, actor))) {
    if (!isOfKind(ask, kind) || !isOffered(ask) || !(await isInFolder(ask.session_id))) continue;
    bytes += JSON.stringify(ask).length;
    if (found.push(ask) === MOST_LISTED || bytes > MOST_BYTES) break;
  }
  return found.sort((a, b) => (a.ask_id < b.ask_id ? -1 : 1));
}

/** Everything in a list, page by page. */
export async function* everyOne<T>(read: (page: Page) => Promise<Listed<T>>): AsyncGenerator<T> {
  for (let after: number | undefined; ; ) {
    const { views, next } = await read({ limit: PAGE, after });
    yield* views;
    if (next === undefined) return;
    after = next;
  }
}

const isOfKind = <K extends Kind>(ask: AskView, kind: K): ask is AskViewOf<K> => ask.kind === kind;
const isOffered = (ask: AskView): boolean => ask.kind === 'approval' || isShown(ask);

/** Whether a session works in the caller's folder; each is read once. */
function folderCheck({ gateway, directory }: Caller): (sessionId: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (sessionId) => {
    if (directory === undefined) return true;
    const isInFolder = known.get(sessionId) ?? folderOf(await conversationOf(gateway, sessionId)) === directory;
    known.set(sessionId, isInFolder);
    return isInFolder;
  };
}

export interface ReplyTo {
  requestId: string;
  /** Where the call names the session too. */
  sessionId?: string | undefined;
}

export async function replyToPermission(
  caller: Caller,
  to: ReplyTo,
  reply: PermissionReply,
  message: string | undefined,
): Promise<void> {
  const { gateway, actor } = caller;
  await onPending('approval', caller, to, async (ask) => {
    const resolutions = [decisionOf(ask, reply, message)];
    await gateway.approveForRun({ runId: ask.run_id, resolutions, actor });
  });
}

/** Without answers it is declined. */
export async function replyToQuestion(caller: Caller, to: ReplyTo, answers: string[][] | undefined): Promise<void> {
  const { gateway, actor } = caller;
  await onPending('question', caller, to, async (ask) => {
    const resolution = answers ? resolutionOf(ask, answers) : { request_id: ask.ask_id, declined: true };
    await gateway.answerForRun({ runId: ask.run_id, resolution, actor });
  });
}

async function onPending<K extends Kind>(
  kind: K,
  caller: Caller,
  { requestId, sessionId }: ReplyTo,
  act: (ask: AskViewOf<K>) => Promise<void>,
): Promise<void> {
  const { gateway, actor } = caller;
  const gone = () => requestNotFound(kind === 'approval' ? 'Permission' : 'Question', requestId);
  try {
    const ask = await gateway.showAsk(askIdOf(requestId), actor);
    const isMeant = sessionId === undefined || ask.session_id === sessionId;
    const isOpen = isOfKind(ask, kind) && isMeant && ask.status === 'pending' && isOffered(ask);
    if (!isOpen || !(await folderCheck(caller)(ask.session_id))) throw gone();
    await act(ask);
  } catch (error) {
    throw error instanceof HoldpointError && isGone(error.refusal) ? gone() : error;
  }
}

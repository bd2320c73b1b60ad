// A daemon of Codex with one thread in one turn, for what the real one cannot be made to do at will: it tells its open
// requests again to every client that resumes the thread, as the real one does, and may be attached to again.
import { randomUUID } from 'node:crypto';

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
}

export class StandInDaemon {
  readonly threadId = randomUUID();
  readonly turnId = randomUUID();
  readonly said: Message[] = [];
  readonly #open = new Map<number, Message>();
  #over = Promise.withResolvers<void>();
  #onText: (text: string) => void = () => {};

  open = async (onText: (text: string) => void) => {
    this.#onText = onText;
    this.#over = Promise.withResolvers<void>();
    return { send: (text: string) => this.#hear(JSON.parse(text)), close: this.hangUp, ended: this.#over.promise };
  };
  hangUp = () => this.#over.resolve();

  #tell(message: Message): void {
    this.#onText(JSON.stringify(message));
  }

  #hear(message: Message): void {
    this.said.push(message);
    const { id, method } = message;
    if (id === undefined || method === undefined) return;
    const activeFlags = this.#open.size > 0 ? ['waitingOnApproval'] : [];
    const thread = { id: this.threadId, cwd: '/project', status: { type: 'active', activeFlags } };
    const turn = { id: this.turnId, status: 'inProgress', items: [] };
    const data = this.#open.size > 0 ? [this.threadId] : [];
    this.#tell({ id, result: { data, thread, initialTurnsPage: { data: [turn] }, approvalPolicy: 'on-request' } });
    if (method === 'thread/resume') this.tellAgain();
  }

  tellAgain(): void {
    for (const request of this.#open.values()) this.#tell(request);
  }

  /** `item`: the call that asks, where it has asked before. */
  asks(id: number, item = id, reason = 'May I?'): void {
    const { threadId, turnId } = this;
    const command = `touch ${item}.txt`;
    const outside = { reason, proposedExecpolicyAmendment: ['touch'] };
    const params = { threadId, turnId, itemId: `call_${item}`, command, cwd: '/project', ...outside };
    const request = { id, method: 'item/commandExecution/requestApproval', params };
    this.#open.set(id, request);
    this.#tell(request);
  }

  settles(requestId: number): void {
    this.#open.delete(requestId);
    this.#tell({ method: 'serverRequest/resolved', params: { threadId: this.threadId, requestId } });
  }

  does(id: number): void {
    const { threadId, turnId } = this;
    const item = { id: `call_${id}`, type: 'commandExecution', status: 'completed' };
    this.#tell({ method: 'item/completed', params: { threadId, turnId, item } });
  }

  ends(): void {
    const turn = { id: this.turnId, status: 'completed' };
    this.#tell({ method: 'turn/completed', params: { threadId: this.threadId, turn } });
  }

  answerTo = (id: number): Message | undefined => this.said.find((it) => it.id === id && it.result !== undefined);
}

// The person of the soak test: answers everything that is asked at a server, each time with a text that names the ask, and
// says afterwards what was asked twice.
import { setTimeout as sleep } from 'node:timers/promises';
import type { AskView } from '../../../src/core/views.ts';
import { send } from '../../support/http.ts';
import type { Random } from '../../support/seeded-random.ts';

/** Questions with this in them are answered late. */
export const LATE = 'answered late';

export class Person {
  readonly #call: <T>(path: string, body?: object) => Promise<{ status: number; body: T }>;
  readonly #random: Random;
  readonly #lateMs: number;
  readonly #begun = new Set<string>();
  #isOver = false;

  constructor(url: string, token: string, random: Random, lateMs: number) {
    this.#lateMs = lateMs;
    this.#call = (path, body) => send(url, { token, path, ...(body && { body }) });
    this.#random = random;
    void this.#answerAll();
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Every question was raised once, and its answer was received. */
  async audit(received: ReadonlySet<string>): Promise<string[]> {
    const asks: AskView[] = [];
    for (const status of ['pending', 'answered'])
      asks.push(...(await this.#call<AskView[]>(`/v1/asks?status=${status}&limit=500`)).body);
    const texts = asks.map(textOf);
    const twice = [...new Set(texts.filter((text, i) => texts.indexOf(text) < i))].map((text) => {
      const which = asks.filter((ask) => textOf(ask) === text);
      const told = which.map(({ tool_call_id, run_id, created_at_ms, answer, delivery }) =>
        JSON.stringify([tool_call_id, run_id, created_at_ms, answer?.answered_at_ms, delivery]),
      );
      return `asked twice: ${text}: ${told.join(' ')}`;
    });
    const lost = asks
      .filter((ask) => !received.has(textOf(ask)))
      .map((ask) => `lost: ${textOf(ask)} (${ask.status}, ${JSON.stringify(ask.delivery)})`);
    return [...twice, ...lost];
  }

  async #answerAll(): Promise<void> {
    while (!this.#isOver) {
      const { body } = await this.#call<AskView[]>('/v1/asks?status=pending&limit=500').catch(() => ({ body: [] }));
      for (const ask of Array.isArray(body) ? body : []) {
        if (this.#begun.has(ask.ask_id)) continue;
        this.#begun.add(ask.ask_id);
        const afterMs = textOf(ask).includes(LATE) ? this.#lateMs : this.#random.int(0, 250);
        void sleep(afterMs).then(() => this.#answer(ask));
      }
      await sleep(20);
    }
  }

  async #answer(ask: AskView): Promise<void> {
    const { ask_id: request_id, run_id } = ask;
    if (ask.kind === 'approval') {
      const updated_input = { ...ask.request.input, answer: answerTo(textOf(ask)) };
      await this.#call(`/v1/runs/${run_id}/approvals`, {
        resolutions: [{ request_id, behavior: 'allow', updated_input }],
      });
      return;
    }
    const answers = [{ question_id: 'q', freeform_answer: answerTo(textOf(ask)) }];
    await this.#call(`/v1/runs/${run_id}/questions`, { resolution: { request_id, answers } });
  }
}

export const answerTo = (text: string): string => `the answer to ${text}`;

const textOf = (ask: AskView): string =>
  ask.kind === 'approval' ? String(ask.request.input.text) : (ask.request.questions[0]?.question ?? '');

// What Codex asks without waiting: the questions are an item, and the answer is a message to the model, in the turn that
// goes on or with the next one. Owns which of these are open; an ask whose answer could not be said stays so, and is told
// to the model by whoever takes the run up again.
import type { Asking, Put } from './decisions.ts';
import type { Words } from './model-messages.ts';
import type { WantedQuestion } from './questions.ts';

export interface Later {
  ask(wanted: WantedQuestion, put: Put): void;
  /** Resolves when nobody is asked any more. */
  allOver(): Promise<void>;
  /** The process is gone: nothing that is open here can be answered through it. */
  close(): void;
  /** Whether somebody still has to answer, or gave an answer that the model does not have. */
  owes(): boolean;
}

export function createLater(asking: Asking, words: Words): Later {
  const open = new Set<Put>();
  const busy = new Set<Promise<void>>();

  async function carry(wanted: WantedQuestion, put: Put): Promise<void> {
    const reply = await asking.question(wanted, put);
    if (reply?.tell !== undefined) await words.tell(reply.tell, put.place, reply.askId);
    open.delete(put);
  }

  return {
    ask(wanted, put) {
      open.add(put);
      const work = carry(wanted, put)
        .catch(() => {})
        .finally(() => busy.delete(work));
      busy.add(work);
    },
    async allOver() {
      while (busy.size > 0) await Promise.all(busy);
    },
    close() {
      for (const { ask } of open) ask.leave();
    },
    owes: () => open.size > 0,
  };
}

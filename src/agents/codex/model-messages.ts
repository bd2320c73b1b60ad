// Sends text to the model where a Codex response cannot carry it: by `turn/steer` while the turn runs, otherwise with the
// next turn. Acknowledges an ask whose answer is such a message once it was sent.
import type { Peer } from '../wire/json-rpc.ts';
import type { TurnRef } from './protocol.ts';

export interface UnsentMessages {
  text: string;
  /** To be called when a turn was started with the text. */
  onSent(): Promise<void>;
}

export type ModelMessages = ReturnType<typeof createModelMessages>;

export function createModelMessages(peer: Pick<Peer, 'request'>, acknowledge: (askId: string) => Promise<void>) {
  const waiting = new Set<{ text: string; answeredAskId?: string | undefined }>();
  return {
    /** `answeredAskId`: the ask whose answer reaches the model by this message alone. */
    async send(text: string, turn: TurnRef | undefined, answeredAskId?: string): Promise<void> {
      const { threadId, turnId } = turn ?? {};
      try {
        if (turnId === undefined) throw new Error('no turn to steer');
        await peer.request('turn/steer', { threadId, expectedTurnId: turnId, input: [{ type: 'text', text }] });
      } catch {
        return void waiting.add({ text, answeredAskId });
      }
      if (answeredAskId !== undefined) await acknowledge(answeredAskId);
    },
    /** What to start the next turn with. */
    unsent(): UnsentMessages | undefined {
      if (waiting.size === 0) return undefined;
      const messages = [...waiting];
      return {
        text: messages.map(({ text }) => text).join('\n\n'),
        async onSent() {
          for (const message of messages) {
            if (message.answeredAskId !== undefined) await acknowledge(message.answeredAskId);
            waiting.delete(message);
          }
        },
      };
    },
    hasUnsentAnswer: () => [...waiting].some(({ answeredAskId }) => answeredAskId !== undefined),
  };
}

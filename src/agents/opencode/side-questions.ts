// Asks OpenCode about a request that waits for a decision, in a fork of its session that has no tools, and deletes the fork
// after the reply. The session that waits is not touched, and nothing of a fork is an output or a request of the run.
import { type AboutRequest, sideQuestion, withinTime } from '../kit/side-question.ts';
import type { Api } from './api.ts';

/** Every tool, also those of plugins and MCP servers. */
const NO_TOOLS = { '*': false };

export type SideQuestions = ReturnType<typeof createSideQuestions>;

export function createSideQuestions(api: Pick<Api, 'fork' | 'say' | 'abort' | 'remove'>) {
  return {
    async ask(
      { directory, asked }: { directory: string; asked: { sessionID: string } },
      about: AboutRequest,
      comment: string,
      signal: AbortSignal,
    ): Promise<string> {
      const { id } = await api.fork(directory, asked.sessionID);
      try {
        const parts = [{ type: 'text', text: sideQuestion(about, comment) }];
        const reply = await withinTime(api.say(directory, id, { parts, tools: NO_TOOLS }), signal);
        const said = reply.parts.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n\n');
        if (said === '') throw new Error('OpenCode said nothing');
        return said;
      } finally {
        await api.abort(directory, id).catch(() => {});
        await api.remove(directory, id).catch(() => {});
      }
    },
  };
}

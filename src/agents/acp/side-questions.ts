// Asks an ACP agent about a request that waits for a decision, in a fork of its session in its planning mode, where the agent
// offers both. The session that waits is not touched; a fork that begins to work instead of replying is stopped, it is
// granted nothing, and nothing of it is an output or a request of the run.
import type { ClientContext, InitializeResponse, NewSessionResponse, SessionUpdate } from '@agentclientprotocol/sdk';
import { escapeMentions } from '../kit/mention-escape.ts';
import { type AboutRequest, sideQuestion, withinTime } from '../kit/side-question.ts';
import { modesOf, type Opened, setMode } from './session.ts';

/** Not yet part of the stable protocol; an agent that has it says so. */
const FORK = 'session/fork';
/** As agents that can plan without acting call it. */
const PLANNING = 'plan';

interface Fork {
  said: string;
  stop(): void;
}

export type Explain = (about: AboutRequest, comment: string, signal: AbortSignal) => Promise<string>;

export function createSideQuestions() {
  const forks = new Map<string, Fork>();
  let explain: Explain | undefined;

  async function ask(agent: ClientContext, sessionId: string, cwd: string, question: string, signal: AbortSignal) {
    const forked = await agent.request<NewSessionResponse>(FORK, { sessionId, cwd, mcpServers: [] });
    const { sessionId: id } = forked;
    const stop = () => void agent.notify('session/cancel', { sessionId: id }).catch(() => {});
    const fork: Fork = { said: '', stop };
    forks.set(id, fork);
    try {
      if (!(await setMode(agent, PLANNING, id, forked))) throw new Error('the agent has no planning mode');
      const prompt = [{ type: 'text' as const, text: escapeMentions(question) }];
      await withinTime(agent.request('session/prompt', { sessionId: id, prompt }), signal);
      const said = fork.said.trim();
      if (said === '') throw new Error('the agent said nothing');
      return said;
    } catch (error) {
      stop();
      throw error;
    } finally {
      await agent.request('session/close', { sessionId: id }).catch(() => {});
    }
  }

  return {
    /** From now on comments are explained, if the agent can fork the session and plan in it. */
    follow(
      agent: ClientContext,
      { agentCapabilities }: InitializeResponse,
      session: Opened & { id: string },
      cwd: string,
    ) {
      const canFork = (agentCapabilities?.sessionCapabilities as { fork?: unknown } | undefined)?.fork != null;
      const canPlan = modesOf(session).includes(PLANNING);
      if (canFork && canPlan)
        explain = (about, comment, signal) => ask(agent, session.id, cwd, sideQuestion(about, comment), signal);
    },
    explain: () => explain,
    isFork: (sessionId: string) => forks.has(sessionId),
    update(sessionId: string, update: SessionUpdate): void {
      const fork = forks.get(sessionId);
      if (!fork) return;
      if (update.sessionUpdate === 'tool_call') fork.stop();
      if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
        fork.said += update.content.text;
    },
  };
}

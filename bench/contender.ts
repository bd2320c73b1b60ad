// The contenders as the load generator speaks to them: which calls make one cycle, and what on the event stream
// says that an answer has arrived. The payload of ask and answer is the same for all.
import type { Call, Caller } from './connection.ts';

export type ContenderName = 'holdpoint' | 'reference' | 'restate' | 'dbos';

/** One agent at work: makes the calls of its own asks. */
export interface Agent {
  ask(n: number): Call;
  askIdOf(response: string): string;
  answer(askId: string): Call;
  acknowledge(askId: string): Call;
}

export interface Contender {
  streamPath: string;
  /** Where one ask is waited for with a connection of its own. */
  pollPath(askId: string): string;
  startAgent(connection: Caller): Promise<Agent>;
  /** The ask whose answer this frame of the stream brings, if it brings one. */
  arrived(frame: string): string | undefined;
}

const QUESTIONS = JSON.stringify([
  {
    id: 'routing',
    header: 'Routing',
    question: 'Which provider should the gateway use for long completions?',
    multi_select: false,
    options: [
      { id: 'openai', label: 'OpenAI', description: 'fast, costs more' },
      { id: 'local', label: 'Local', description: 'slow, costs nothing' },
    ],
  },
]);
const ANSWERS = JSON.stringify([{ question_id: 'routing', selected_option_ids: ['local'] }]);

const holdpoint: Contender = {
  streamPath: '/v1/events?types=ask.claimed',
  pollPath: (askId) => `/v1/asks/${askId}?wait_ms=60000`,
  async startAgent(connection) {
    const made = await connection.post({ path: '/v1/sessions', body: '{"agent":"external"}' });
    const { session_id } = JSON.parse(made) as { session_id: string };
    const started = await connection.post({
      path: `/v1/sessions/${session_id}/runs`,
      body: '{"input":{"text":"fix the build"}}',
    });
    const { run_id } = JSON.parse(started) as { run_id: string };
    return {
      ask: (n) => ({
        path: `/v1/runs/${run_id}/asks`,
        body: `{"kind":"question","tool_call_id":"call_${n}","questions":${QUESTIONS}}`,
      }),
      askIdOf: (response) => (JSON.parse(response) as { ask_id: string }).ask_id,
      answer: (askId) => ({
        path: `/v1/runs/${run_id}/questions`,
        body: `{"resolution":{"request_id":"${askId}","answers":${ANSWERS},"declined":false}}`,
      }),
      acknowledge: (askId) => ({ path: `/v1/asks/${askId}/delivered`, body: '{}' }),
    };
  },
  arrived(frame) {
    if (!frame.includes('"type":"ask.claimed"')) return undefined;
    return (JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as { ask_id: string }).ask_id;
  },
};

const reference: Contender = {
  streamPath: '/events?agent=bench',
  pollPath: (askId) => `/asks/${askId}`,
  async startAgent() {
    return {
      ask: (n) => ({ path: '/asks', body: `{"agent":"bench","tool_call_id":"call_${n}","questions":${QUESTIONS}}` }),
      askIdOf: (response) => (JSON.parse(response) as { id: string }).id,
      answer: (askId) => ({ path: `/asks/${askId}/answer`, body: `{"answers":${ANSWERS},"declined":false}` }),
      acknowledge: () => {
        throw new Error('the reference knows no acknowledgement');
      },
    };
  },
  arrived(frame) {
    if (!frame.startsWith('data: ')) return undefined;
    return (JSON.parse(frame.slice(6)) as { id: string }).id;
  },
};

/** The peers are measured through a front that speaks as the reference does (peers/front.mjs). */
export const CONTENDERS: Record<ContenderName, Contender> = {
  holdpoint,
  reference,
  restate: reference,
  dbos: reference,
};

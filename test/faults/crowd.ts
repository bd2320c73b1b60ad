// Two hundred people, each with a token and a connection of their own, who all press the button at once.
import type { Agent } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import type { Winner } from '../../src/core/errors.ts';
import type { AskView, EventView, RunView, SessionView } from '../../src/core/views.ts';
import { keepAliveAgent, type Received, type Sent, send } from '../support/http.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../support/process.ts';

const PEOPLE = 200;

export interface Person {
  name: string;
  token: string;
  agent: Agent;
}

export interface Crowd {
  people: Person[];
  /** One request from each person, written to two hundred open sockets in the same turn of the event loop. */
  atOnce<T>(request: (person: Person, index: number) => Sent): Promise<Received<T>[]>;
  call<T>(sent: Sent): Promise<Received<T>>;
  read<T>(path: string): Promise<T>;
  newRun(): Promise<RunView>;
  raise(runId: string, body: object): Promise<AskView>;
  eventsOf(runId: string, type: EventView['type']): Promise<EventView[]>;
}

/** The crowd of one file of tests. */
export function crowdForAll(): Crowd {
  let server: Holdpoint;
  const people: Person[] = [];
  const call = <T>(sent: Sent) => send<T>(server.url, { token: server.token, ...sent });
  beforeAll(async () => {
    server = await startHoldpoint({ via: 'main' });
    const arrived = Array.from({ length: PEOPLE }, async (_, i) => {
      const name = `person-${i + 1}`;
      const agent = keepAliveAgent();
      const made = await call<{ token: string }>({ path: '/v1/tokens', body: { scope: 'operator', name }, agent });
      return { name, token: made.body.token, agent };
    });
    people.push(...(await Promise.all(arrived)));
  });
  afterAll(async () => {
    for (const { agent } of people) agent.destroy();
    await endEverything();
  });
  const read = async <T>(path: string): Promise<T> => (await call<T>({ path })).body;
  return {
    people,
    call,
    read,
    atOnce: <T>(request: (person: Person, index: number) => Sent) =>
      Promise.all(
        people.map((person, i) => call<T>({ token: person.token, agent: person.agent, ...request(person, i) })),
      ),
    async newRun() {
      const session = await call<SessionView>({ path: '/v1/sessions', body: { agent: 'external' } });
      const path = `/v1/sessions/${session.body.session_id}/runs`;
      return (await call<RunView>({ path, body: { input: { text: 'work' } } })).body;
    },
    raise: async (runId, body) => (await call<AskView>({ path: `/v1/runs/${runId}/asks`, body })).body,
    eventsOf: async (runId, type) =>
      (await read<EventView[]>(`/v1/runs/${runId}/events?limit=500`)).filter((event) => event.type === type),
  };
}

export interface Told {
  code?: string;
  winner?: Winner;
}

export const statuses = (told: readonly Received<unknown>[]) =>
  counted(told.map((response) => String(response.status)));
export const codes = (told: readonly Received<Told>[]) => counted(told.flatMap(({ body }) => body.code ?? []));

function counted(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

export function winnerOf(answer: AskView['answer']): Winner | undefined {
  if (!answer) return undefined;
  const { answered_by, surface, answered_at_ms, outcome, behavior } = answer;
  return { answered_by, surface, answered_at_ms, outcome, ...(behavior && outcome === 'answered' && { behavior }) };
}

export const QUESTION = {
  kind: 'question',
  questions: [
    {
      id: 'which',
      question: 'Which?',
      options: [
        { id: 'a', label: 'A' },
        { id: 'b', label: 'B' },
      ],
    },
  ],
};
export const APPROVAL = { kind: 'approval', tool_name: 'Bash', input: { command: 'make' } };

export function answerOf(ask: AskView, { justification, ...answer }: Record<string, unknown>) {
  const answers = [{ question_id: 'which', ...answer }];
  return { resolution: { request_id: ask.ask_id, answers, ...(justification !== undefined && { justification }) } };
}

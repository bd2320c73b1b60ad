// The official MCP client at our door, over both transports and in both protocols, with everything that went over the
// wire written down. And the person on the other side.
import { join } from 'node:path';
import {
  Client,
  type ClientOptions,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach } from 'vitest';
import type { AskView, RunView, SessionView } from '../../src/core/views.ts';
import { eventually, type Fields, ok } from '../support/api-calls.ts';
import { COMPILED, root } from '../support/process.ts';
import type { Server } from '../support/server.ts';

export const TRANSPORTS = ['http', 'stdio'] as const;
export const PROTOCOLS = ['2025-11-25', '2026-07-28'] as const;
export type TransportName = (typeof TRANSPORTS)[number];
export type ProtocolName = (typeof PROTOCOLS)[number];

export type Message = Fields & { method?: string; params?: Fields; result?: Fields; id?: unknown };
export interface Agent {
  client: Client;
  sessionId: string;
  runId: string;
  token: string;
  sent: Message[];
  received: Message[];
  close(): Promise<void>;
}

interface AgentOptions {
  transport?: TransportName;
  protocol?: ProtocolName;
  capabilities?: ClientOptions['capabilities'];
  session?: Fields;
  run?: Fields;
  /** Before it connects: handlers for what the server asks of the client. */
  prepare?(client: Client): void;
}

/** A session with a run at work, and a client with a token for it. */
export async function connectAgent(server: Server, options: AgentOptions = {}): Promise<Agent> {
  const { transport = 'http', protocol = '2025-11-25', capabilities = {} } = options;
  const { session_id: sessionId } = await ok(
    server.post<SessionView>('/v1/sessions', { agent: 'external', ...options.session }),
  );
  const run = { input: { text: 'work' }, ...options.run };
  const { run_id: runId } = await ok(server.post<RunView>(`/v1/sessions/${sessionId}/runs`, run));
  const { token } = await server.makeToken('agent', sessionId);
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities, versionNegotiation: { mode: protocol === '2025-11-25' ? 'legacy' : { pin: protocol } } },
  );
  options.prepare?.(client);
  const wire = transport === 'http' ? overHttp(await server.url(), token) : overStdio(await server.url(), token);
  const sent: Message[] = [];
  const received: Message[] = [];
  const send = wire.send.bind(wire);
  wire.send = (message, how) => {
    sent.push(structuredClone(message) as Message);
    return send(message, how);
  };
  await client.connect(wire);
  const { onmessage } = wire;
  wire.onmessage = (message, extra) => {
    received.push(structuredClone(message) as Message);
    onmessage?.(message, extra);
  };
  return { client, sessionId, runId, token, sent, received, close: () => client.close() };
}

/** Clients of one file of tests, closed after each test. */
export function connecting(server: () => Server): (options?: AgentOptions) => Promise<Agent> {
  const agents: Agent[] = [];
  afterEach(async () => {
    for (const agent of agents.splice(0)) await agent.close();
  });
  return async (options) => {
    const agent = await connectAgent(server(), options);
    agents.push(agent);
    return agent;
  };
}

/** What a person at the agent's own screen does when asked. */
export const elicitor =
  (reply: (request: ElicitRequest, signal: AbortSignal) => Promise<ElicitResult>) =>
  (client: Client): void =>
    client.setRequestHandler('elicitation/create', (request, ctx) => reply(request, ctx.mcpReq.signal));

const overHttp = (url: string, token: string): Transport =>
  new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });

const overStdio = (url: string, token: string): Transport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(root, 'src/cli/main.ts'), 'mcp'],
    env: { PATH: process.env.PATH ?? '', HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token, NODE_COMPILE_CACHE: COMPILED },
    stderr: 'ignore',
  });

/** What a tool returned, as the JSON in its text. */
export const jsonOf = (result: unknown): Fields => JSON.parse(textOf(result));
export const textOf = (result: unknown): string =>
  ((result as { content: { text?: string }[] }).content[0] as { text: string }).text;

export async function pendingAsk(server: Server, sessionId: string): Promise<AskView> {
  const path = `/v1/asks?session_id=${sessionId}&status=pending`;
  await eventually(async () => (await ok(server.get<AskView[]>(path))).length).toBeGreaterThan(0);
  return (await ok(server.get<AskView[]>(path)))[0] as AskView;
}

export const answer = (server: Server, ask: AskView, ...answers: Fields[]) =>
  ok(server.post<RunView>(`/v1/runs/${ask.run_id}/questions`, { resolution: { request_id: ask.ask_id, answers } }));

export const QUESTIONS = {
  questions: [{ id: 'colour', question: 'Which colour?', options: [{ label: 'Red', value: 'r' }, 'Blue'] }],
};
export const CHOOSE_BLUE = { question_id: 'colour', selected_option_ids: ['option-2'] };
/** The result of `ask_user` after that answer. */
export const BLUE = {
  status: 'answered',
  answers: [{ question_id: 'colour', values: ['Blue'] }],
};

/** The name by which the tools call an ask. */
export const handle = (ask: AskView): string => `ask_${ask.ask_id.slice(-8)}`;
export const checkAnswer = ({ client }: Agent, args: Fields) =>
  client.callTool({ name: 'check_answer', arguments: args });

export const askUser = ({ client }: Agent, options: Parameters<Client['callTool']>[1] = {}, args: Fields = QUESTIONS) =>
  client.callTool({ name: 'ask_user', arguments: args }, options);

/** What a client declares that can show forms. */
export const FORMS = { elicitation: { form: {} } };
/** How long a server waits for an answer, in a fraction of a second. */
export const PATIENCE = { keepAliveMs: 40, limitMs: 30_000, repeatMs: 60_000 };
/** For results that say "pending". */
export const IMPATIENCE = { ...PATIENCE, limitMs: 150 };

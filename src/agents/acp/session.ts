// Opens the ACP session of a run: that of an earlier run of the same Holdpoint session, resumed or loaded where the agent can,
// otherwise a new one. Owns which of the two, its mode and its model; prompts nothing.
import {
  type ClientCapabilities,
  type ClientContext,
  type InitializeResponse,
  type NewSessionResponse,
  PROTOCOL_VERSION,
  RequestError,
  type SessionConfigSelect,
} from '@agentclientprotocol/sdk';
import { truncate } from '../../core/text-limit.ts';
import type { AgentContext } from '../agent.ts';
import type { AcpSpec } from './input.ts';
import { SESSION } from './outputs.ts';
import { quirksOf } from './quirks.ts';

type Opened = Pick<NewSessionResponse, 'modes' | 'configOptions'>;

const ERROR_CHARACTERS = 2000;
const AUTH_REQUIRED = -32000;
const CLIENT = { name: 'holdpoint', title: 'Holdpoint', version: '1' };

/** What the agent says about an error: many say the cause only in its data. */
export function refusalText({ message, data }: RequestError): string {
  const { details, message: inner } = (typeof data === 'object' && data !== null ? data : {}) as Record<
    string,
    unknown
  >;
  const cause = [details, inner, data].find((text) => typeof text === 'string' && text !== '');
  return truncate(cause === undefined ? message : `${message}: ${cause}`, ERROR_CHARACTERS);
}

/** The agent cannot be used as it is: for the person who started the run. */
export class AgentProblem extends Error {
  override name = 'AgentProblem';
}

/** `offered`: what the agent may use of its client. */
export async function initialize(
  agent: ClientContext,
  { title }: AcpSpec,
  offered: Pick<ClientCapabilities, 'fs' | 'terminal'>,
): Promise<InitializeResponse> {
  const initialized = await agent.request<InitializeResponse>('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { ...offered, elicitation: { form: {}, url: {} } },
    clientInfo: CLIENT,
  });
  if (initialized.protocolVersion !== PROTOCOL_VERSION)
    throw new AgentProblem(
      `${title} speaks version ${initialized.protocolVersion} of the protocol, and not ${PROTOCOL_VERSION}.`,
    );
  return initialized;
}

/** What identifies the conversation for later runs. */
export const sessionData = ({ argv }: AcpSpec, sessionId: string) => ({
  session_id: sessionId,
  program: argv.join(' '),
});

/** Resolves to the id of the session. */
export async function openSession(
  context: Pick<AgentContext, 'recall' | 'output'>,
  agent: ClientContext,
  spec: AcpSpec,
  initialized: InitializeResponse,
  cwd: string,
): Promise<string> {
  const { agentCapabilities: can, authMethods, agentInfo } = initialized;
  const mode = spec.mode ?? quirksOf(agentInfo?.name).askingMode;
  const wanted = { ...spec, mode };
  const known = await context.recall(SESSION);
  const sessionId = known?.session_id;
  const method = can?.sessionCapabilities?.resume ? 'session/resume' : can?.loadSession ? 'session/load' : undefined;
  if (typeof sessionId === 'string' && known?.program === sessionData(spec, '').program) {
    const opened = method && (await agent.request(method, { sessionId, cwd, mcpServers: [] }).catch(refusal));
    if (opened && !(opened instanceof RequestError)) {
      await configure(agent, wanted, sessionId, opened);
      return sessionId;
    }
    const why = opened ? refusalText(opened) : 'it cannot load sessions';
    await context.output(`${spec.title} does not continue its earlier conversation (${why}). A new one begins.`, {
      type: 'status',
    });
  }
  const opened = await agent.request('session/new', { cwd, mcpServers: [] }).catch(refusal);
  if (opened instanceof RequestError) {
    const logins = (authMethods ?? []).map(({ name }) => name).join(', ');
    throw new AgentProblem(
      opened.code === AUTH_REQUIRED
        ? `${spec.title} wants you to log in on the machine of this worker first${logins ? ` (${logins})` : ''}.`
        : `${spec.title} opened no session: ${refusalText(opened)}`,
    );
  }
  await configure(agent, wanted, opened.sessionId, opened);
  return opened.sessionId;
}

function refusal(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  throw error;
}

/** An agent lists the modes of a session, or options of it, of which one may be its mode and one its model. */
async function configure(agent: ClientContext, spec: AcpSpec, sessionId: string, opened: Opened): Promise<void> {
  const { modes, configOptions } = opened;
  const modeIds = (modes?.availableModes ?? []).map(({ id }) => id);
  for (const category of ['mode', 'model'] as const) {
    const wanted = spec[category];
    if (wanted === undefined) continue;
    if (category === 'mode' && modeIds.includes(wanted)) {
      await agent.request('session/set_mode', { sessionId, modeId: wanted });
      continue;
    }
    const option = configOptions?.find((one) => one.category === category && one.type === 'select');
    const values = option?.type === 'select' ? valuesOf(option) : category === 'mode' ? modeIds : [];
    if (!option || !values.includes(wanted))
      throw new AgentProblem(
        `${spec.title} has no ${category} "${wanted}"; its ${category}s are: ${values.join(', ') || 'not listed'}.`,
      );
    await agent.request('session/set_config_option', { sessionId, configId: option.id, value: wanted });
  }
}

const valuesOf = ({ options }: SessionConfigSelect): string[] =>
  options.flatMap((one) => ('options' in one ? one.options : [one])).map(({ value }) => value);

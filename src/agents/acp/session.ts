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
import type { StartStep } from '../kit/start-limit.ts';
import type { AcpSpec } from './input.ts';
import { SESSION } from './outputs.ts';
import { quirksOf } from './quirks.ts';

export type Opened = Pick<NewSessionResponse, 'modes' | 'configOptions'>;

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
  step: StartStep,
): Promise<InitializeResponse> {
  const initialized = await step(
    agent.request<InitializeResponse>('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { ...offered, elicitation: { form: {}, url: {} } },
      clientInfo: CLIENT,
    }),
  );
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

/** Resolves to the session: its id, modes and options. */
export async function openSession(
  context: Pick<AgentContext, 'recall' | 'output'>,
  agent: ClientContext,
  spec: AcpSpec,
  initialized: InitializeResponse,
  cwd: string,
  step: StartStep,
): Promise<Opened & { id: string }> {
  const { agentCapabilities: can, authMethods, agentInfo } = initialized;
  const mode = spec.mode ?? quirksOf(agentInfo?.name).askingMode;
  const wanted = { ...spec, mode };
  const known = await context.recall(SESSION);
  const sessionId = known?.session_id;
  const method = can?.sessionCapabilities?.resume ? 'session/resume' : can?.loadSession ? 'session/load' : undefined;
  if (typeof sessionId === 'string' && known?.program === sessionData(spec, '').program) {
    const opened = method && (await step(agent.request(method, { sessionId, cwd, mcpServers: [] })).catch(refusal));
    if (opened && !(opened instanceof RequestError)) {
      await configure(agent, wanted, sessionId, opened);
      return { ...opened, id: sessionId };
    }
    const why = opened ? refusalText(opened) : 'it cannot load sessions';
    await context.output(`${spec.title} does not continue its earlier conversation (${why}). A new one begins.`, {
      type: 'status',
    });
  }
  const opened = await step(agent.request('session/new', { cwd, mcpServers: [] })).catch(refusal);
  if (opened instanceof RequestError) {
    const logins = (authMethods ?? []).map(({ name }) => name).join(', ');
    throw new AgentProblem(
      opened.code === AUTH_REQUIRED
        ? `${spec.title} wants you to log in on the machine of this worker first${logins ? ` (${logins})` : ''}.`
        : `${spec.title} opened no session: ${refusalText(opened)}`,
    );
  }
  await configure(agent, wanted, opened.sessionId, opened);
  return { ...opened, id: opened.sessionId };
}

function refusal(error: unknown): RequestError {
  if (error instanceof RequestError) return error;
  throw error;
}

/** An agent lists the modes of a session, or options of it, of which one may be its mode and one its model. */
async function configure(agent: ClientContext, spec: AcpSpec, sessionId: string, opened: Opened): Promise<void> {
  const { mode, model, title } = spec;
  const none = (category: string, wanted: string, values: readonly string[]) =>
    new AgentProblem(
      `${title} has no ${category} "${wanted}"; its ${category}s are: ${values.join(', ') || 'not listed'}.`,
    );
  if (mode !== undefined && !(await setMode(agent, mode, sessionId, opened))) throw none('mode', mode, modesOf(opened));
  if (model !== undefined && !(await setOption(agent, 'model', model, sessionId, opened)))
    throw none('model', model, optionOf(opened, 'model')?.values ?? []);
}

/** The modes that the agent lists as such, else the values of the option that is its mode. */
export const modesOf = (opened: Opened): string[] =>
  optionOf(opened, 'mode')?.values ?? (opened.modes?.availableModes ?? []).map(({ id }) => id);

/** Resolves to whether the session has such a mode. */
export async function setMode(agent: ClientContext, mode: string, sessionId: string, opened: Opened): Promise<boolean> {
  if (!opened.modes?.availableModes.some(({ id }) => id === mode))
    return setOption(agent, 'mode', mode, sessionId, opened);
  await agent.request('session/set_mode', { sessionId, modeId: mode });
  return true;
}

async function setOption(
  agent: ClientContext,
  category: 'mode' | 'model',
  value: string,
  sessionId: string,
  opened: Opened,
): Promise<boolean> {
  const option = optionOf(opened, category);
  if (!option?.values.includes(value)) return false;
  await agent.request('session/set_config_option', { sessionId, configId: option.id, value });
  return true;
}

function optionOf({ configOptions }: Opened, category: 'mode' | 'model') {
  const option = configOptions?.find((one) => one.category === category && one.type === 'select');
  return option?.type === 'select' ? { id: option.id, values: valuesOf(option) } : undefined;
}

const valuesOf = ({ options }: SessionConfigSelect): string[] =>
  options.flatMap((one) => ('options' in one ? one.options : [one])).map(({ value }) => value);

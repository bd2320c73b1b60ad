// The checks of `holdpoint doctor` about agents: which ones this build includes, which versions are installed and tested,
// and whether the hooks of connected agents are complete, point to this server and are accepted by it. Changes nothing.
import { dirname, resolve } from 'node:path';
import { createClient } from '../../client/client.ts';
import { HoldpointProblem } from '../../client/http.ts';
import { stateFolder } from '../../client/local.ts';
import { shellQuote } from '../../node/shell-quote.ts';
import type { Check } from '../commands/doctor.ts';
import { reportOf } from '../failure.ts';
import { programName } from '../program-name.ts';
import { type ConnectionRecord, recordOf, recordsOf } from './connection-record.ts';
import { type AgentConnector, connectableAgents } from './settings-change.ts';
import { readSettings } from './settings-file.ts';

export async function agentChecks(env: NodeJS.ProcessEnv, url: string): Promise<Check[]> {
  const { agentNames, agentPrograms } = await import('../../boot/agents.ts');
  const detail = `this build includes ${agentNames().join(', ')}; \`external\` is your own program`;
  const programs = (await agentPrograms()).map(programCheck);
  const connections = [...(await connectableAgents())].map(async ([agent, attached]) =>
    connectionChecks({ agent, connector: await attached.connector(), env, url }),
  );
  return [{ name: 'agents', state: 'good', detail }, ...programs, ...(await Promise.all(connections)).flat()];
}

type InstalledProgram = Awaited<ReturnType<typeof import('../../boot/agents.ts')['agentPrograms']>>[number];

/** Another version usually works, and an agent that is not installed matters only to those who use it: warnings. */
function programCheck({ name, tested, install, installed, untested }: InstalledProgram): Check {
  const limit = untested === undefined ? '' : `; ${untested}`;
  if (installed === tested) return { name, state: 'good', detail: `${installed}, the tested version${limit}` };
  if (installed === undefined)
    return {
      name,
      state: 'warning',
      detail: `not in the PATH of this terminal; tested with ${tested}`,
      advice: `to use it: ${install} (a worker looks in its own PATH)`,
    };
  const advice = `if it misbehaves: ${install}@${tested}`;
  return { name, state: 'warning', detail: `${installed}; tested with ${tested}`, advice };
}

interface Connected {
  agent: string;
  connector: AgentConnector;
  env: NodeJS.ProcessEnv;
  /** The server that doctor examines. */
  url: string;
}

/** An agent that is not connected is not mentioned. */
async function connectionChecks(about: Connected): Promise<Check[]> {
  const { agent, connector, env } = about;
  const name = `${agent} hooks`;
  const usual = resolve(connector.file(env));
  const checked = async ({ file: path, named }: SettingsPath, isKnown: boolean): Promise<Check[]> => {
    // The suggested commands must name a settings folder that is not the usual one.
    const moved = shellQuote(connector.folderVariable.endsWith('_FILE') ? named : dirname(named));
    const command = `${named === usual ? '' : `${connector.folderVariable}=${moved} `}${programName()}`;
    const again = `${command} disconnect ${agent}, then ${command} connect ${agent}`;
    try {
      const problem = await hooksProblem(about, path, isKnown);
      if (problem === undefined) return [];
      if (problem === '') return [{ name, state: 'good', detail: `connected: ${path} asks here too` }];
      return [{ name, state: 'warning', detail: problem, advice: again }];
    } catch (error) {
      if ((error as Error).name !== 'SettingsProblem')
        return [{ name, state: 'warning', detail: reportOf(error).message, advice: again }];
      const advice = `repair it by hand; or ${connector.byHand}, then ${command} disconnect ${agent}`;
      return [{ name, state: 'warning', detail: `${path}: ${(error as Error).message}`, advice }];
    }
  };
  try {
    const known = recordsOf(stateFolder(env), agent).map((record) => checked(record, true));
    const isKnown = recordOf(stateFolder(env), agent, usual) !== undefined;
    const own = isKnown ? [] : [checked({ file: usual, named: usual }, false)];
    return (await Promise.all([...known, ...own])).flat();
  } catch (error) {
    return [{ name, state: 'warning', detail: reportOf(error).message }];
  }
}

type SettingsPath = Pick<ConnectionRecord, 'file' | 'named'>;

/** Empty where all is well, undefined where there is nothing to report. */
async function hooksProblem({ connector, env, url }: Connected, path: string, isKnown: boolean) {
  const { text } = readSettings(path);
  const targets = text === undefined ? [] : connector.targets(text);
  if (targets.length === 0) return isKnown ? `${path} has no hooks, although it was connected` : undefined;
  if (!isKnown) return `${path} has hooks of which ${stateFolder(env)} has no record`;
  const elsewhere = targets.find((target) => target.url !== url);
  if (elsewhere) return `${path} asks at ${elsewhere.url}, not at this server (${url})`;
  for (const { token } of targets) {
    const why = token === undefined ? undefined : await refusal(url, token);
    if (why !== undefined) return `${path} asks only at its own terminal: ${why}`;
  }
  return (await connector.check?.(text ?? '')) ?? '';
}

/** Why the server would reject a hook with this token. A 403 is fine: the token may only call its hook. */
async function refusal(url: string, token: string): Promise<string | undefined> {
  try {
    await createClient({ url, token, retryForMs: 0 }).signIn.me();
    return undefined;
  } catch (error) {
    if (!(error instanceof HoldpointProblem)) return `${url} does not answer`;
    return error.status === 401 ? `${url} no longer accepts the token of its hooks` : undefined;
  }
}

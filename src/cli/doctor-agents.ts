// What `holdpoint doctor` says of agents: which this build knows, which versions are installed and which were tested, and
// whether those that are connected are whole. Changes nothing.
import { stateFolder } from '../client/local.ts';
import { readRecord } from './connection-record.ts';
import type { Check } from './doctor.ts';
import { told } from './failure.ts';
import { ownName } from './own-name.ts';
import { judged } from './settings-change.ts';
import { readSettings } from './settings-file.ts';

export async function agentChecks(env: NodeJS.ProcessEnv): Promise<Check[]> {
  const { agentNames, agentPrograms, connectors } = await import('../boot.ts');
  const detail = `this build knows: ${agentNames.join(', ')}; and \`external\`, your own program`;
  const programs = (await agentPrograms()).map(programCheck);
  const connections = Object.entries(connectors).flatMap(([agent, connector]) =>
    connectionCheck(agent, connector, env),
  );
  return [{ name: 'agents', state: 'good', detail }, ...programs, ...connections];
}

type Boot = typeof import('../boot.ts');
type Program = Awaited<ReturnType<Boot['agentPrograms']>>[number];

/** Another version than the tested one mostly works; one that is missing matters only to whoever wants it. */
function programCheck({ agent, version: tested, install, installed }: Program): Check {
  const name = agent;
  if (installed === tested) return { name, state: 'good', detail: `${installed}, the version that was tested` };
  if (installed === undefined)
    return {
      name,
      state: 'warning',
      detail: `not on this machine; tested with ${tested}`,
      advice: `to use it: ${install}`,
    };
  const advice = `if it misbehaves: ${install}@${tested}`;
  return { name, state: 'warning', detail: `${installed}; tested with ${tested}`, advice };
}

/** Nothing is said of an agent that nobody connected. */
function connectionCheck(agent: string, connector: Boot['connectors'][string], env: NodeJS.ProcessEnv): Check[] {
  const name = `${agent} hooks`;
  const again = `${ownName()} disconnect ${agent}, then ${ownName()} connect ${agent}`;
  try {
    const record = readRecord(stateFolder(env), agent);
    const file = readSettings(record?.file ?? connector.file(env));
    const { path, text } = file;
    const isConnected = text !== undefined && judged(file, () => connector.isConnected(text));
    if (!record && !isConnected) return [];
    if (record && isConnected) return [{ name, state: 'good', detail: `connected: ${path} asks here too` }];
    const detail = record
      ? `${path} has none, though it was connected`
      : `${path} has some that ${stateFolder(env)} knows nothing of`;
    return [{ name, state: 'warning', detail, advice: again }];
  } catch (error) {
    return [{ name, state: 'warning', detail: told(error).message, advice: again }];
  }
}

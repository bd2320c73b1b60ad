// Composes what `holdpoint hook` needs and nothing more: it starts for every call that a connected agent wants to make.
import { readFile } from 'node:fs/promises';
import type { Connector } from '../agents/agent.ts';
import { loadAgent } from '../agents/registry.ts';
import type { Client } from '../client/client.ts';
import { stateFolder } from '../client/local.ts';
import { Waits } from '../client/waits.ts';
import { noteHook } from '../worker/hook-notes.ts';
import { machineLabel } from '../worker/machine-label.ts';
import { openSocket } from '../worker/socket.ts';

interface HookEnvironment {
  url: string;
  /** With this token, or else with one of the state folder. May throw. */
  connect(token: string | undefined): Client;
  /** The state folder. */
  data: string;
  env: NodeJS.ProcessEnv;
  /** Aborted when the agent no longer waits. */
  signal: AbortSignal;
}

/** Where a hook asks: as its arguments say, or as the settings of the connected agent say if that passes it none. */
export async function hookTarget(
  name: string,
  { url, data }: { url?: string; data?: string },
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; data: string }> {
  if (url !== undefined) return { url, data: data ?? stateFolder(env) };
  const connector = await (await loadAgent(name))?.attached?.connector();
  const settings = connector && (await readFile(connector.file(env), 'utf8'));
  const [target] = (settings !== undefined && connector?.targets(settings)) || [];
  if (!target) throw new Error('the settings of the agent name no server: connect it again');
  return { url: target.url, data: target.data ?? data ?? stateFolder(env) };
}

/** What the hook process prints; undefined: nothing, so that the agent asks by itself. */
export async function decideByHook(
  name: string,
  payload: unknown,
  { url, connect, data, env, signal }: HookEnvironment,
): Promise<object | undefined> {
  const attached = (await loadAgent(name))?.attached;
  const hook = attached?.hookProcess;
  const token = attached && (await tokenIn(await attached.connector(), env, url));
  let waits: Waits | undefined;
  try {
    return await hook?.decide(payload, () => {
      const client = connect(token);
      waits = new Waits(client.http);
      return {
        client,
        waits,
        signal,
        machine: machineLabel(data),
        env,
        openSocket: (path, onText) => openSocket(path, onText, signal),
        record: (call) => noteHook(data, name, call),
      };
    });
  } finally {
    waits?.close();
  }
}

/** The token that the agent's own settings hold for this server. */
async function tokenIn(connector: Connector, env: NodeJS.ProcessEnv, url: string): Promise<string | undefined> {
  if (!connector.needsToken) return undefined;
  const targets = connector.targets(await readFile(connector.file(env), 'utf8'));
  return targets.find((target) => target.url === url && target.token !== undefined)?.token;
}

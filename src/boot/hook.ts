// Composes what `holdpoint hook` needs and nothing more: it starts for every call that a connected agent wants to make.
import { loadAgent } from '../agents/registry.ts';
import type { Client } from '../client/client.ts';
import { Waits } from '../client/waits.ts';
import { noteHook } from '../worker/hook-notes.ts';
import { machineLabel } from '../worker/machine-label.ts';
import { openSocket } from '../worker/socket.ts';

interface HookEnvironment {
  connect(): Client;
  /** The state folder. */
  data: string;
  env: NodeJS.ProcessEnv;
  /** Aborted when the agent no longer waits. */
  signal: AbortSignal;
}

/** What the hook process prints; undefined: nothing, so that the agent asks by itself. */
export async function decideByHook(
  name: string,
  payload: unknown,
  { connect, data, env, signal }: HookEnvironment,
): Promise<object | undefined> {
  const hook = (await loadAgent(name))?.attached?.hookProcess;
  let waits: Waits | undefined;
  try {
    return await hook?.decide(payload, () => {
      const client = connect();
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

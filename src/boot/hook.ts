// What an agent's hook decides with, and nothing more: it is started for every call that the agent wants to make.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { socketOf } from '../agents/codex/attach.ts';
import { decideByCodexHook } from '../agents/codex/hook.ts';
import type { Client } from '../client/client.ts';
import { Waits } from '../client/waits.ts';
import { noteHook } from '../worker/hook-notes.ts';
import { placeOf } from '../worker/machine-label.ts';
import { talkOverSocket } from '../worker/socket.ts';

interface Surroundings {
  connect(): Client;
  /** The state folder. */
  data: string;
  env: NodeJS.ProcessEnv;
  /** The agent waits no longer. */
  signal: AbortSignal;
}

/** What a hook of the person's own agent is to say; nothing where the agent asks by itself. */
export async function decideByHook(
  agent: string,
  payload: unknown,
  { connect, data, env, signal }: Surroundings,
): Promise<object | undefined> {
  if (agent !== 'codex') return undefined;
  const socket = socketOf(env.CODEX_HOME || join(env.HOME || homedir(), '.codex'));
  let waits: Waits | undefined;
  try {
    return await decideByCodexHook(payload, () => {
      const client = connect();
      waits = new Waits(client.http);
      return {
        client,
        waits,
        signal,
        place: placeOf(data),
        open: (onText) => talkOverSocket(socket, onText, signal),
        note: (call) => noteHook(data, agent, call),
      };
    });
  } finally {
    waits?.close();
  }
}

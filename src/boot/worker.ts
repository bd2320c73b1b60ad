// Composes a worker in a process of its own, with all agents of this build.
import { pino } from 'pino';
import { loadAgents } from '../agents/registry.ts';
import { startAttachments } from '../worker/attachments.ts';
import { startWorker, type Worker, type WorkerOptions } from '../worker/worker.ts';

const agents = await loadAgents();

/** A worker on its own, anywhere: it needs nothing but a server's address and a worker token. */
export function startOwnWorker(options: OwnWorkerOptions): Pick<Worker, 'done' | 'stop'> {
  const { logLevel, data, ...rest } = options;
  const log = pino({ level: logLevel }, pino.destination(2));
  const worker = startWorker({ ...rest, agents, log });
  const { url, token } = rest;
  const attachments = data === undefined ? undefined : startAttachments({ url, token, data, agents, log });
  return {
    done: worker.done,
    stop: async () => {
      await Promise.all([worker.stop(), attachments?.stop()]);
    },
  };
}

interface OwnWorkerOptions extends Omit<WorkerOptions, 'agents' | 'log'> {
  logLevel: string;
  /** The state folder that says which agents of this machine are attached; the server sees to those of its own. */
  data?: string | undefined;
}

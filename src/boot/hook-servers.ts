// Serves the HTTP hooks of every attached agent that has some. Calls that arrive before `start` has finished wait for it,
// because what an earlier process left open must not be taken for what is asked now.
import type { Agent, AttachedContext, HookServer } from '../agents/agent.ts';

type Handler = HookServer['handle'];

export interface HookServers {
  /** By the agent's name, for the server's routes. */
  readonly handlers: Readonly<Record<string, Handler>>;
  /** `isOnly`: no other server works on the database, so what is left open belongs to an earlier process of this one. */
  start(context: AttachedContext, isOnly: boolean): Promise<void>;
  stop(): Promise<void>;
}

export function createHookServers(agents: readonly Agent[]): HookServers {
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => {});
  const servers = new Map<string, HookServer>();
  const opened = agents.flatMap(({ name, attached }) =>
    attached?.serveHooks ? [{ name, open: attached.serveHooks }] : [],
  );
  const handlerOf =
    (name: string): Handler =>
    async (payload, signal, ambiguity, caller) => {
      await started.promise;
      return (servers.get(name) as HookServer).handle(payload, signal, ambiguity, caller);
    };
  return {
    handlers: Object.fromEntries(opened.map(({ name }) => [name, handlerOf(name)])),
    async start(context, isOnly) {
      for (const { name, open } of opened) {
        const server = await open(context);
        servers.set(name, server);
        if (isOnly) await server.recover();
      }
      started.resolve();
    },
    async stop() {
      started.reject(new Error('the server was stopped before it had started'));
      for (const server of servers.values()) await server.close();
    },
  };
}

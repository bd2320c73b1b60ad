// Starts `opencode serve` for one managed run, on a free local port and with a password of its own, and waits until it
// listens. Owns the process and its environment; knows no request.
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import type { AgentContext } from '../agent.ts';
import { createStartLimit } from '../kit/start-limit.ts';
import { createApi, USER } from './api.ts';
import type { OpencodeSpec } from './input.ts';
import { program } from './program.ts';
import { permissionsFor } from './rules.ts';

const HOST = '127.0.0.1';
const LISTENING = /listening on (http:\/\/\S+)/;

/** After a denial the model continues with the reason; by itself OpenCode would end the turn. */
const CONFIG = { experimental: { continue_loop_on_deny: true } };
/** Merged into the person's own configuration: their patterns for single commands and paths stay as they are. */
const ASK = {
  bash: { '*': 'ask' },
  edit: { '*': 'ask' },
  external_directory: { '*': 'ask' },
  webfetch: 'ask',
  websearch: 'ask',
  doom_loop: 'ask',
};

/** `failure` rejects when the process ends. `stop` ends it and resolves when nothing is left of it. */
export async function launch(context: AgentContext, spec: OpencodeSpec, folder: string) {
  const { run, signal } = context;
  const password = randomBytes(24).toString('base64url');
  const stopping = new AbortController();
  const listening = Promise.withResolvers<string>();
  const argv = [program.command, 'serve', '--hostname', HOST, '--port', String(await freePort())];
  const startLimit = createStartLimit(context, { title: 'OpenCode', install: program.install, argv }, () =>
    stopping.abort(),
  );
  const server = await context.processes.start({
    argv,
    folder,
    env: {
      ...context.env,
      ...settingsOf(context, spec, permissionsFor(await context.toolRules())),
      OPENCODE_SERVER_PASSWORD: password,
      HOLDPOINT_RUN_ID: run.run_id,
    },
    mark: `HOLDPOINT_RUN_ID=${run.run_id}`,
    signal: AbortSignal.any([signal, stopping.signal]),
    onLine: (line) => {
      startLimit.heard(line);
      const url = LISTENING.exec(line)?.[1];
      if (url) listening.resolve(url);
    },
  });
  const gone = new AbortController();
  void server.exited.then(() => gone.abort(new Error('OpenCode has exited')));
  const failure = server.ended.then((exit): never => {
    throw startLimit.errorOf(exit);
  });
  failure.catch(() => {});
  const stop = async () => {
    // OpenCode does not end by itself while a client listens to its events.
    gone.abort(new Error('the run is over'));
    stopping.abort();
    await server.ended.catch(() => {});
  };
  try {
    const url = await startLimit.step(Promise.race([listening.promise, failure]));
    const api = createApi({ url, user: USER, password, signal: gone.signal });
    return { api, isGone: () => gone.signal.aborted, exited: server.exited, failure, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settingsOf(
  { env }: AgentContext,
  { permissions, trust_folder }: OpencodeSpec,
  ruled: ReturnType<typeof permissionsFor>,
): Record<string, string> {
  const asked = { ...(permissions === 'ask' && ASK), ...ruled };
  return {
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...parsed(env.OPENCODE_CONFIG_CONTENT), ...CONFIG }),
    OPENCODE_CLIENT: 'cli',
    OPENCODE_SERVER_USERNAME: USER,
    ...(Object.keys(asked).length > 0 && { OPENCODE_PERMISSION: JSON.stringify(asked) }),
    ...(!trust_folder && { OPENCODE_DISABLE_PROJECT_CONFIG: '1' }),
  };
}

/** A person's own inline configuration is kept; one that is not JSON would stop OpenCode in any case. */
const parsed = (text: string | undefined): object => (text ? (JSON.parse(text) as object) : {});

/** OpenCode itself would first take the port at which people expect their own. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

// An editor, played by the client of the protocol's SDK, that starts an agent through `holdpoint acp`, opens a session and sends
// one prompt. What it answers is up to the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type CreateElicitationResponse,
  client,
  ndJsonStream,
  type PermissionOptionKind,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import { root } from '../../support/process.ts';

interface EditorOptions {
  /** The command line of the agent. */
  argv: readonly string[];
  folder: string;
  url: string;
  env: Record<string, string | undefined>;
  prompt: string;
}

export type Editor = ReturnType<typeof openEditor>;

export function openEditor({ argv, folder, url, env, prompt }: EditorOptions) {
  const holdpoint = [join(root, 'bin', 'holdpoint'), 'acp', '--url', url, '--', ...argv];
  const child = spawn(process.execPath, holdpoint, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const asked = Promise.withResolvers<RequestPermissionRequest | undefined>();
  const permission = Promise.withResolvers<RequestPermissionResponse>();
  const elicitation = Promise.withResolvers<CreateElicitationResponse>();
  const ended = Promise.withResolvers<void>();
  const { agent } = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params, signal }) => {
      asked.resolve(params);
      signal.addEventListener('abort', () => ended.resolve());
      return permission.promise;
    })
    .onRequest('elicitation/create', ({ signal }) => {
      asked.resolve(undefined);
      signal.addEventListener('abort', () => ended.resolve());
      return elicitation.promise;
    })
    .onNotification('session/update', () => {})
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      ),
    );
  const turn = (async () => {
    await agent.request('initialize', { protocolVersion: 1, clientCapabilities: { elicitation: { form: {} } } });
    const { sessionId } = await agent.request('session/new', { cwd: folder, mcpServers: [] });
    return agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: prompt }] });
  })();
  turn.catch(() => {});
  return {
    child,
    /** How the turn ends. */
    turn,
    /** The editor shows its prompt, and later ends it without an answer. */
    shown: asked.promise,
    promptEnded: ended.promise,
    async choose(kind: PermissionOptionKind): Promise<void> {
      const option = (await asked.promise)?.options.find((one) => one.kind === kind);
      permission.resolve({ outcome: { outcome: 'selected', optionId: option?.optionId ?? '' } });
    },
    fillIn: (content: Record<string, string>) => elicitation.resolve({ action: 'accept', content }),
  };
}

/** Ends the proxy, if it runs, and waits until it is gone. */
export async function closeEditor(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGTERM')) await gone;
}

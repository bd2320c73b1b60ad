// Serves files and commands of the worker's machine to an ACP agent that uses those of its client, according to the session's
// rules: offered only where a rule allows some call of the tool, and each single call is an approval, which the rules
// decide, or a person. What the agent was allowed a moment before, by a permission for exactly that, is not asked twice.
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import {
  type ClientCapabilities,
  type CreateTerminalRequest,
  type ReadTextFileRequest,
  RequestError,
  type RequestPermissionRequest,
  type WriteTextFileRequest,
} from '@agentclientprotocol/sdk';
import { createTwoFilesPatch } from 'diff';
import type { ApproveSpec } from '../../client/spec.ts';
import { compileGlob, matchesGlob } from '../../core/glob.ts';
import type { ToolRule } from '../../core/tool-rules.ts';
import { shellQuote } from '../../node/shell-quote.ts';
import type { AgentContext } from '../agent.ts';
import { ended } from '../kit/unanswered.ts';
import type { Quirks } from './quirks.ts';
import { createTerminals } from './terminals.ts';

type Offered = Required<Pick<ClientCapabilities, 'fs' | 'terminal'>>;

const { O_RDONLY, O_WRONLY, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
const NEVER = new Promise<never>(() => {});
const REFUSED = -32000;
const LARGEST_FILE_BYTES = 10 * 1024 * 1024;

export function offeredBy(rules: readonly ToolRule[]): Offered {
  const isAllowed = (name: string) =>
    rules.some(({ tool, action }) => action === 'allow' && matchesGlob(compileGlob(tool), name));
  return {
    fs: { readTextFile: isAllowed('Read'), writeTextFile: isAllowed('Write') },
    terminal: isAllowed('Bash'),
  };
}

export type ClientTools = ReturnType<typeof createClientTools>;

/** `folder`: the work folder, without symbolic links. */
export function createClientTools(
  context: Pick<AgentContext, 'approve' | 'processes' | 'env' | 'run' | 'signal'>,
  folder: string,
) {
  const terminals = createTerminals(context);
  const closing = new AbortController();
  const signal = AbortSignal.any([context.signal, closing.signal]);
  /** What permissions allowed that were asked for a tool call which is not over: each for one use. */
  let granted: { toolCallId: string; key: string }[] = [];

  function isGranted(key: string): boolean {
    const at = granted.findIndex((one) => one.key === key);
    if (at >= 0) granted.splice(at, 1);
    return at >= 0;
  }

  /** Rejects unless it is allowed exactly as it was asked for. An agent that is about to be stopped gets no reply. */
  async function allow(spec: Omit<ApproveSpec, 'mode'>): Promise<void> {
    const id = `client-${crypto.randomUUID()}`;
    const outcome = await context.approve({ ...spec, id, editable: false }, { signal }).catch((error: unknown) => {
      if (signal.aborted) return NEVER;
      throw error;
    });
    if (!ended(outcome).allowed) refuse(`It was not allowed: ${ended(outcome).reason}`);
  }

  return {
    /** The agent was allowed a call that it may now make through its client. */
    granted({ toolCall: { toolCallId, kind, rawInput, content } }: RequestPermissionRequest): void {
      const { command } = (rawInput ?? {}) as { command?: unknown };
      if (kind === 'execute' && typeof command === 'string') granted.push({ toolCallId, key: commandKey(command) });
      for (const part of content ?? [])
        if (part.type === 'diff') granted.push({ toolCallId, key: writeKey(part.path, part.newText) });
    },
    callEnded(toolCallId: string): void {
      granted = granted.filter((one) => one.toolCallId !== toolCallId);
    },
    async readTextFile(
      { path, line, limit }: ReadTextFileRequest,
      { readsMissingFiles }: Quirks,
    ): Promise<{ content: string }> {
      const file_path = await realPath(path);
      await allow({ tool_name: 'Read', input: { file_path } });
      const isMissing = await lstat(file_path).then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
      );
      if (isMissing && !readsMissingFiles) throw RequestError.resourceNotFound(path);
      const text = isMissing ? '' : await contentOf(file_path);
      if (line == null && limit == null) return { content: text };
      const from = Math.max((line ?? 1) - 1, 0);
      const lines = text.split('\n').slice(from, limit == null ? undefined : from + limit);
      return { content: lines.join('\n') };
    },
    async writeTextFile({ path, content }: WriteTextFileRequest): Promise<Record<string, never>> {
      const file_path = await realPath(path);
      // A permission named the path: neither rules nor the person were asked about what a link at it leads to.
      if (file_path !== path || !isGranted(writeKey(path, content))) {
        const before = await contentOf(file_path).catch(() => '');
        await allow({
          tool_name: 'Write',
          input: { file_path },
          diff: createTwoFilesPatch(file_path, file_path, before, content),
        });
      }
      await withFile(file_path, O_WRONLY | O_CREAT, async (file) => {
        await file.truncate();
        await file.writeFile(content);
      });
      return {};
    },
    async createTerminal({ command, args = [], env = [], cwd, outputByteLimit }: CreateTerminalRequest) {
      const at = await realPath(cwd ?? folder);
      if (at !== folder && !at.startsWith(`${folder}/`)) refuse('A command runs in the work folder or below it only.');
      const words = [command, ...args];
      // Rules judge the line that a shell runs, so assignments are part of it.
      const assigned = env.map(({ name, value }) => `${name}=${shellQuote(value)}`);
      if (env.some(({ name }) => !/^[A-Za-z_]\w*$/.test(name))) refuse('A variable has an invalid name.');
      const line = [...assigned, args.length === 0 ? command : words.map(shellQuote).join(' ')].join(' ');
      if (!isGranted(commandKey(line)))
        await allow({ tool_name: 'Bash', input: { command: line, ...(at !== folder && { workdir: at }) } });
      await expectUnmoved(at);
      return { terminalId: await terminals.create(line, at, outputByteLimit ?? undefined) };
    },
    terminals,
    /** The process of the agent is gone: nothing that it asked for is done any more. */
    async close(): Promise<void> {
      closing.abort(new Error('the agent is gone'));
      await terminals.close();
    },
  };
}

const commandKey = (line: string): string => JSON.stringify(['Bash', line]);
const writeKey = (path: string, text: string): string => JSON.stringify(['Write', path, text]);

function refuse(why: string): never {
  throw new RequestError(REFUSED, why);
}

const asRefusal = (error: unknown): never => refuse((error as Error).message);

/** Without symbolic links, so that rules judge the file that is meant. A file that does not exist has a folder that does. */
async function realPath(path: string): Promise<string> {
  if (!isAbsolute(path)) refuse('A path must be absolute.');
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (isThere) return realpath(path).catch(asRefusal);
  return join(await realpath(dirname(path)).catch(asRefusal), basename(path));
}

const contentOf = (path: string): Promise<string> =>
  withFile(path, O_RDONLY, async (file) => {
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of file.createReadStream({ autoClose: false, end: LARGEST_FILE_BYTES })) {
      parts.push(part);
      size += part.length;
    }
    if (size > LARGEST_FILE_BYTES) refuse(`${path} is larger than ${LARGEST_FILE_BYTES} bytes.`);
    return Buffer.concat(parts).toString('utf8');
  });

/** `folder` had no symbolic links when it was asked about, which may be long ago: one that it has now leads elsewhere. */
async function expectUnmoved(folder: string): Promise<void> {
  if ((await realpath(folder).catch(asRefusal)) !== folder) refuse(`${folder} was replaced by a link meanwhile.`);
}

/** No pipe, which would block, and no device, which may have no end. `path` has no symbolic links: one that it has now is new. */
async function withFile<T>(path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  await expectUnmoved(dirname(path));
  const file = await open(path, flags | O_NONBLOCK | O_NOFOLLOW).catch(asRefusal);
  try {
    if (!(await file.stat()).isFile()) refuse(`${path} is no regular file.`);
    return await use(file);
  } catch (error) {
    return asRefusal(error);
  } finally {
    await file.close();
  }
}

// Declares the contract of a runtime: how a dispatch invokes one kind of headless program, and how that learns to ask.
// A runtime starts programs only through its context, and reports that the sentinel file exists without reading it. The
// package exports this file as `holdpoint/runtime`, for runtimes that are not part of this build (boot/runtimes.ts).
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessExit, ProcessSpec } from '../agent.ts';
import { SENTINEL } from './needs-input-text.ts';

export { HOW_TO_ASK, SENTINEL } from './needs-input-text.ts';

/** The same for the first dispatch of a spec and for one that carries an answer. */
export interface RuntimeInvocation {
  command: readonly string[];
  /** The absolute path of the folder that the program works in. */
  workspaceDir: string;
  /** The spec's own data, with `answer` and `partial_state` where this dispatch carries them. */
  input: Record<string, unknown>;
  /** The prompt template, filled in with `input`. */
  prompt?: string | undefined;
  timeoutMs?: number | undefined;
}

export interface RuntimeContext {
  dispatchId: string;
  /** The environment of the program: the worker's, the run's, and the AGORA_ names. */
  env: Record<string, string>;
  signal: AbortSignal;
  /** Runs a program until it and its descendants have ended. */
  run(program: Pick<ProcessSpec, 'argv' | 'input'>): Promise<Omit<RuntimeExit, 'needsInputSentinelPath'>>;
}

export interface RuntimeExit extends Omit<ProcessExit, 'timedOut'> {
  timedOut?: boolean | undefined;
  /** Set if, and only if, the sentinel exists after the program has ended. */
  needsInputSentinelPath?: string | undefined;
}

/** A file that is written into the workspace before the program starts, and removed afterwards. */
export interface OverlayFile {
  /** Relative to the workspace, with forward slashes. */
  path: string;
  /** Text may be appended to an existing file; bytes are always a file of their own. */
  content: string | Uint8Array;
  /** Appends the content to an existing file of this name; otherwise an existing file is left alone. */
  beside?: boolean | undefined;
}

export interface RuntimeAdapter {
  readonly name: string;
  /** The path of the file in which its programs ask, relative to the workspace. */
  readonly sentinel: string;
  /** Whether a command is a program of this runtime, when the spec does not name one. */
  recognises(command: readonly string[]): boolean;
  /** Tells the program how to ask. `skills`: the names of those that are laid for it. */
  overlay(skills: readonly string[]): readonly OverlayFile[];
  /** Escapes what the program itself wrote, and the answer to it, for use in its prompt. */
  tell?(value: unknown): string;
  /** The folder in which its programs look for skills, relative to the workspace. */
  readonly skills: string;
  invoke(invocation: RuntimeInvocation, context: RuntimeContext): Promise<RuntimeExit>;
}

const PROMPT_PLACEHOLDER = '{{prompt}}';

/** Runs the command as it is. The prompt replaces `{{prompt}}` in its arguments, or else is its standard input. */
export async function invokeCommand(
  { command, prompt, workspaceDir }: RuntimeInvocation,
  context: RuntimeContext,
): Promise<RuntimeExit> {
  const hasPlaceholder = command.some((argument) => argument.includes(PROMPT_PLACEHOLDER));
  const argv = command.map((argument) => argument.replaceAll(PROMPT_PLACEHOLDER, () => prompt ?? ''));
  const exit = await context.run({ argv, input: hasPlaceholder ? undefined : prompt });
  return { ...exit, ...(await sentinelAt(join(workspaceDir, SENTINEL))) };
}

/** The only file system call that the sentinel costs a dispatch which does not ask. */
export async function sentinelAt(path: string): Promise<{ needsInputSentinelPath?: string }> {
  try {
    await lstat(path);
    return { needsInputSentinelPath: path };
  } catch (error) {
    if (isMissing(error)) return {};
    throw error;
  }
}

export const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

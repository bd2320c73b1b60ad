// The contract of a runtime: how one kind of headless program is invoked in a workspace, and how it is told to ask. A
// runtime is one file without privileges; everything it does it does through its context. What its sentinel means is
// not its business: it only says whether the file is there.
import { lstat } from 'node:fs/promises';
import type { ProcessSpec } from '../agent.ts';

/** One invocation: the same for the first dispatch of a spec and for one that carries an answer. */
export interface RuntimeInvocation {
  command: readonly string[];
  /** Absolute path of the folder it works in. */
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
  /** Runs a program to its end, and whatever it started. */
  run(program: Pick<ProcessSpec, 'argv' | 'input'>): Promise<Omit<RuntimeExit, 'needsInputSentinelPath'>>;
}

export interface RuntimeExit {
  /** As a shell tells it: 128 + n when a signal ended it. */
  exitCode: number;
  stdout: string;
  stderr: string;
  signal?: string | undefined;
  /** It was ended because it ran past its limit. */
  timedOut?: boolean | undefined;
  /** Set if, and only if, the sentinel is there after the program has ended. */
  needsInputSentinelPath?: string | undefined;
}

/** A file that teaches the program how to ask; laid into the workspace before, taken out again afterwards. */
export interface OverlayFile {
  /** Relative to the workspace, with forward slashes. */
  path: string;
  /** Text that may join a file; bytes are a file of their own. */
  content: string | Uint8Array;
  /** `beside`: a file of this name is left as it is and the content is added to it. Otherwise it is replaced. */
  beside?: boolean | undefined;
}

export interface RuntimeAdapter {
  readonly name: string;
  /** Where its programs write what they need to know, relative to the workspace. */
  readonly sentinel: string;
  /** Whether a command is a program of this runtime, when the spec does not name one. */
  recognises(command: readonly string[]): boolean;
  overlay(): readonly OverlayFile[];
  /** How its own words, and the answer to them, are put into its prompt; as they are otherwise. */
  tell?(value: unknown): string;
  /** The folder its programs look for skills in, relative to the workspace. */
  readonly skills: string;
  invoke(invocation: RuntimeInvocation, context: RuntimeContext): Promise<RuntimeExit>;
}

export const SENTINEL = '.agora/needs_input.json';

/** The one look at the file system that asking costs a dispatch which does not ask. */
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

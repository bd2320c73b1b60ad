// Reads the input of an ACP run: its text, which program is started, in which of its modes and with which model. A run made of thread posts
// inherits all but the text of the run before it. Pure.
import { z } from 'zod';
import { readShell } from '../../core/shell/read.ts';
import { issuesOf, problemWith, runInput } from '../kit/run-input.ts';
import { knownAgents } from './known-agents.ts';

const word = z.string().refine((text) => !text.includes('\0'), 'must not have a NUL character');
const AcpInput = runInput({
  text: z.string().trim().min(1),
  /** One of the known agents. */
  agent: z.enum(Object.keys(knownAgents)).optional(),
  /** The command line of any other: as one text without expansions, or as its words. */
  command: z.union([word.trim().min(1), z.array(word).min(1).max(1000)]).optional(),
  /** One of the session modes and models that the agent itself offers. */
  mode: z.string().min(1).max(200).optional(),
  model: z.string().min(1).max(200).optional(),
});

export interface AcpSpec {
  text: string;
  /** The program as people call it, and how it is installed, where that is known. */
  title: string;
  install?: string;
  argv: readonly string[];
  mode?: string | undefined;
  model?: string | undefined;
}

const WHICH =
  'Say which agent to run: `agent` names a known one, `command` is the command line of any other. One of the two.';
const NOT_PLAIN =
  '`command` must be one program with its arguments, without variables, pipes or other expansions; give a list of words instead.';

/** `inherited`: the input of the run that a run made of posts continues. */
export function readAcpInput(
  input: Record<string, unknown>,
  { text: _, ...inherited }: Record<string, unknown> = {},
): AcpSpec | { problem: string } {
  const read = AcpInput.safeParse({ ...inherited, ...input });
  if (!read.success) return { problem: issuesOf('acp', read.error) };
  const { text, agent, command, mode, model } = read.data;
  if ((agent === undefined) === (command === undefined)) return { problem: WHICH };
  const known = agent === undefined ? undefined : knownAgents[agent];
  if (known) return { text, title: known.title, install: known.install, argv: known.command, mode, model };
  const argv = typeof command === 'string' ? wordsOf(command) : command;
  const [program] = argv ?? [];
  return argv && program ? { text, title: program, argv, mode, model } : { problem: NOT_PLAIN };
}

/** Undefined for a text that is more than one program with literal arguments. */
function wordsOf(line: string): string[] | undefined {
  const { commands, unknown } = readShell(line);
  const [only] = commands.filter(({ within }) => !within);
  if (!only || only.text !== line || only.assigns.length + only.redirections.length > 0) return undefined;
  if (unknown !== undefined && !only.isWrapper) return undefined;
  return only.words.every(({ kind }) => kind === 'literal') ? only.words.map(({ text }) => text) : undefined;
}

export const inputProblem = problemWith(readAcpInput);

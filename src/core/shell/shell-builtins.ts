// Lists the builtins of a shell that assign variables or evaluate their arguments, and the test operators whose operands
// are arithmetic. Programs that run other commands are in inner-commands.ts.
import type { ShellWord } from './word.ts';

const ASSIGNING = new Set(
  'export declare typeset local readonly read mapfile readarray getopts let unset vared zmodload integer float'.split(
    ' ',
  ),
);

/** The names that a builtin assigns, as far as they are known; the builtin's own name where they are not. */
export function assignedBy([program, ...words]: readonly ShellWord[]): string[] {
  if (program?.kind !== 'literal') return [];
  if (ASSIGNING.has(program.text)) return words.length > 0 ? [program.text] : [];
  const isPrintf = program.text === 'printf' && words[0] !== undefined && /^-v/.test(words[0].before);
  return isPrintf ? ['printf'] : [];
}

export const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R', '-t']);

/** Whether evaluating this text as arithmetic or as a name could run a command. */
export const evaluates = ({ kind, text }: ShellWord): boolean => kind !== 'literal' || /[[$`]/.test(text);

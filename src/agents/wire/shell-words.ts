// Unwraps a command line that only runs another one in a shell (`/bin/bash -lc '…'`), so that the inner command is what is
// displayed and matched by rules. Unwraps only what is certain: a shell of the system, and one quoted word after the option.
import { readShell } from '../../core/shell/read.ts';

const SHELL = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da|k)?sh$/;

export function unwrapShell(command: string): string {
  const { commands, unknown, unknownIn } = readShell(command);
  const [outer] = commands;
  // The script of the inner shell is not judged here.
  if (unknown !== undefined && !unknownIn) return command;
  if (!outer || outer.assigns.length > 0 || outer.redirections.length > 0) return command;
  if (outer.text !== command || outer.words.some(({ kind }) => kind !== 'literal')) return command;
  const [shell, option, script, ...more] = outer.words.map(({ text }) => text);
  const isWrapper = more.length === 0 && SHELL.test(shell ?? '') && /^-l?c$/.test(option ?? '');
  return isWrapper && script !== undefined ? script : command;
}

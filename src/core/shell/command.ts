// Defines what one shell command line runs: its simple commands with words, assignments and redirections, and what of it
// cannot be told without running it.
import type { ShellWord } from './word.ts';

export interface ShellCommand {
  /** The program and its arguments; none for an assignment or a redirection on its own. */
  words: readonly ShellWord[];
  /** The source of this command alone, without the bodies of its here-documents. */
  text: string;
  /** Position in the whole command line; of a nested script, of the word that holds it. */
  pos: number;
  end: number;
  /** Names that it assigns: `A=1 cmd`, `export A=1`, `for A in …`, `read A`. */
  assigns: readonly string[];
  /** The values of the assignments before it. */
  values: readonly ShellWord[];
  redirections: readonly ShellRedirection[];
  /** Runs another command (`sudo`, `xargs`, `sh -c`, `git -c`…), which follows as a command of its own where it is known. */
  isWrapper: boolean;
  /** Why it cannot be told what this command runs. */
  unknown?: string;
  /** The command whose text contains this one: a substitution in its words, or what a wrapper runs. */
  within?: ShellCommand;
}

export interface ShellRedirection {
  operator: string;
  /** The file or descriptor; the text of a here-document. */
  target: ShellWord;
  /** May create or change a file. Descriptors and `/dev/null` are harmless. */
  writes: boolean;
}

export interface ShellReading {
  commands: readonly ShellCommand[];
  /** Why the line as a whole could not be read. Its commands are then only those that were recognised. */
  unknown?: string;
  /** The command that contains what could not be read; none where that is the line itself. */
  unknownIn?: ShellCommand;
}

// Entry point of the command line: runs a command, and turns what it throws into a sentence and an exit code.
import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { report } from './failure.ts';
import { hideSecrets } from './hidden-secrets.ts';
import { createProgram, withDefault, withHelp } from './program.ts';

const args = withDefault(process.argv.slice(2));

/** Flags after `--` belong to the command of the agent. */
const wantsJson = (words: readonly string[]): boolean =>
  words
    .slice(0, words.includes('--') ? words.indexOf('--') : undefined)
    .some((word) => word === '--json' || /^--fields(=|$)/.test(word));

// A closed pipe, as with `| head`, is no failure by itself: the exit code stays what the command has set.
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(process.exitCode ?? EXIT.done);
  process.stderr.write(`holdpoint: the output could not be written (${message})\n`);
  process.exit(EXIT.unexpected);
});

try {
  if (args[0] === 'serve' || args[0] === 'worker') hideSecrets(args);
  const program = await createProgram(args[0]);
  await program.parseAsync(withHelp(program, args), { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else
    process.exitCode = report(error, {
      json: wantsJson(args),
      write: (text) => void process.stderr.write(text),
    });
}

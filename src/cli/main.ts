// The command line: runs a command and turns whatever was thrown into a sentence and an exit code.
import { CommanderError } from 'commander';
import { EXIT } from './exit-codes.ts';
import { report } from './failure.ts';
import { createProgram, withDefault } from './program.ts';

const args = withDefault(process.argv.slice(2));

// A reader that has gone, as with `| head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

try {
  const program = await createProgram(args[0]);
  await program.parseAsync(args, { from: 'user' });
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  else
    process.exitCode = report(error, {
      json: args.includes('--json'),
      write: (text) => void process.stderr.write(text),
    });
}

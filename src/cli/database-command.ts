// A subcommand of `db`: it opens the database itself, beside the server or without one, and reports errors of the database as
// such. What is refused conflicts with what is there, unless the file that was named is not what it should be.
import type { Settings } from '../boot/server.ts';
import { HoldpointError } from '../core/errors.ts';
import { Command } from './command.ts';
import { type ServeFlags, settingsOf } from './commands/serve.ts';
import { Failure } from './failure.ts';

export interface DatabaseFlags extends Pick<ServeFlags, 'data' | 'databaseUrl'> {
  json?: boolean;
}

export const databaseCommand = (name: string, about: string, ...examples: string[]): Command =>
  new Command(name, about)
    .option('--data <folder>', 'state folder with the SQLite file (HOLDPOINT_DATA)')
    .option('--database-url <address>', 'PostgreSQL (HOLDPOINT_DATABASE_URL)')
    .option('--json', 'print JSON')
    .withExamples(...examples);

export const databaseSettings = ({ data, databaseUrl }: DatabaseFlags): Settings =>
  settingsOf(
    { allowHost: [], allowOrigin: [], ...(data !== undefined && { data }), ...(databaseUrl && { databaseUrl }) },
    process.env,
  );

export const reported =
  <Args extends unknown[]>(action: (...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    try {
      await action(...args);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof HoldpointError)
        throw new Failure(error.code === 'invalid_request' ? 'usage' : 'conflict', error.message);
      const { syscall, message } = error as NodeJS.ErrnoException;
      throw new Failure('unexpected', syscall === undefined ? `the database said: ${message}` : message);
    }
  };

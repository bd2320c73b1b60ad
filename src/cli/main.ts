// The command line. Without a command it serves.
import { Command } from 'commander';
import { dbCommand } from './db.ts';
import { demoCommand } from './demo.ts';
import { serveCommand } from './serve.ts';
import { version } from './version.ts';
import { workerCommand } from './worker.ts';

const program = new Command('holdpoint')
  .description('One durable inbox for every question and approval that any coding agent raises.')
  .version(version)
  .showHelpAfterError('Run `holdpoint --help` to see what there is.');

program.addCommand(serveCommand(), { isDefault: true });
program.addCommand(dbCommand());
program.addCommand(workerCommand());
program.addCommand(demoCommand());

await program.parseAsync(process.argv);

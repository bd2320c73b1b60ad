// A command of the program: commander's, with the parts that ours share as methods: examples, subcommands, and the options
// for the server, for a mutation and for a scope. A test runs every example against a real server.
import { Command as BaseCommand } from 'commander';

export const RETRY_FOR_MS = 30_000;

export class Command extends BaseCommand {
  constructor(name: string, description: string) {
    super(name);
    this.description(description);
  }

  withExamples(...examples: string[]): this {
    return this.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);
  }

  withSubcommands(...subcommands: Command[]): this {
    for (const subcommand of subcommands) this.addCommand(subcommand);
    return this;
  }

  withServer(): this {
    this.withAddress('file with the token (HOLDPOINT_TOKEN; otherwise the one in the state folder)');
    this.option('--json', 'print JSON');
    return this.option('--fields <names>', 'print only these fields, as JSON: ask_id,request.tool_name');
  }

  /** `token` says which one is meant. */
  withAddress(token: string): this {
    this.option('--url <address>', 'the server (HOLDPOINT_URL, http://127.0.0.1:4777)');
    return this.withToken(token);
  }

  /** A secret on a command line can be read by every program of the machine, so a file is offered first. */
  withToken(token: string): this {
    this.option('--token-file <path>', token);
    return this.option('--token <secret>', 'the token itself; other programs can read it: prefer --token-file');
  }

  /** `verb`: "look in", or "of" for lists. */
  withScope(verb: string): this {
    this.option('--session-id <id>', `${verb} this session only`);
    return this.option('--run-id <id>', `${verb} this run only`);
  }

  /** For commands that ask and wait for the answer. */
  withWaiting(): this {
    return this.option('--wait-ms <number>', 'wait at most this long; then exit code 12, and the request stays open')
      .option('--expires-after-ms <number>', 'when the request expires; it stays open without end otherwise')
      .option('--id <name>', 'a name of your own: the same name again is the same request, with the same answer')
      .option('--title <text>', 'who asks; the name of this folder otherwise');
  }

  withMutation(): this {
    return this.withServer()
      .option('--idempotency-key <key>', 'the same key again does it once; generated otherwise')
      .option('--retry-for-ms <number>', 'how long to retry after a lost connection', String(RETRY_FOR_MS));
  }
}

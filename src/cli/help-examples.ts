// Examples under a command's help. A test runs every one of them against a real server.
import type { Command } from 'commander';

export const withExamples = (command: Command, ...examples: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  $ ${example}`).join('\n')}`);

// `holdpoint rules`: shows the server's rules, and tests which of them would decide a call and why. Reads the file that the
// server reads when it starts; calls no server and decides nothing.
import { stateFolder } from '../../client/local.ts';
import { sourced } from '../../core/rule.ts';
import { compileRules, decideByRules } from '../../core/rule-set.ts';
import { Command } from '../command.ts';
import { objectOf, readJson } from '../json-input.ts';
import { print, printJson, printList } from '../output.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface RuleFlags {
  json?: boolean;
}

export function rulesCommand(): Command {
  return new Command('rules', 'rules that decide approvals: list, test')
    .withExamples('holdpoint rules list', `holdpoint rules test Bash '{"command":"git status"}'`)
    .withSubcommands(listCommand(), testCommand());
}

/** boot/ is loaded only by the commands that need it. */
async function ownRules() {
  const { loadRules } = await import('../../boot/rules-file.ts');
  return loadRules(stateFolder(process.env)) ?? compileRules(sourced('organisation', 'rules.json', []));
}

function listCommand(): Command {
  return new Command('list', 'the rules in rules.json of the state folder, in the order in which they are tried')
    .withExamples('holdpoint rules list', 'holdpoint rules list --json')
    .option('--json', 'print JSON')
    .action(async (flags: RuleFlags) => {
      const rules = (await ownRules()).rules.map(({ sourced: { position, source, rule } }) => ({
        position,
        source,
        rule,
      }));
      printList(rules, flags, 'there are no rules: every approval is asked', {
        rule: ({ position }) => String(position),
        action: ({ rule }) => line(span(rule.action, 'bold')),
        tool: ({ rule }) => oneLine(rule.tool),
        matches: ({ rule }) => oneLine(rule.matches ? JSON.stringify(rule.matches) : ''),
      });
    });
}

function testCommand(): Command {
  return new Command('test', 'which rule would decide a call, and why')
    .argument('<tool>', 'the name of the tool')
    .argument('[input]', 'its arguments, a JSON object', '{}')
    .option('--subagent', 'as if a sub-agent asked')
    .option('--json', 'print JSON')
    .withExamples(
      `holdpoint rules test Bash '{"command":"git status; rm -rf ~"}'`,
      `holdpoint rules test Write '{"file_path":"src/a.ts"}' --subagent`,
    )
    .action(async (tool: string, input: string, flags: RuleFlags & { subagent?: boolean }) => {
      const { decision, decidedBy, explanation, parts } = decideByRules(
        { sets: [await ownRules()] },
        {
          tool,
          input: objectOf('<input>', readJson('<input>', { json: input })),
          context: flags.subagent ? 'subagent' : 'thread',
        },
      );
      if (flags.json)
        printJson({ decision, rule: decidedBy?.rule ?? null, source: decidedBy?.source ?? null, explanation });
      else {
        print(line(span(decision, 'bold'), span(`  ${oneLine(explanation)}`)));
        if (parts.length > 1)
          for (const part of parts) print(line(span(`  ${part.decision.padEnd(8)}  ${oneLine(part.why)}`)));
      }
    });
}

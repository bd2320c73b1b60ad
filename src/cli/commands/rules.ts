// `holdpoint rules`: shows the server's rules, and tests which of them would decide a call and why. Reads the file that the
// server reads; only `explain` calls the server. Decides nothing.
import { stateFolder } from '../../client/local.ts';
import { sourced } from '../../core/rule.ts';
import { compileRules } from '../../core/rule-index.ts';
import { decideByRules } from '../../core/rule-set.ts';
import type { ApprovalAskView } from '../../core/views.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { objectOf, readJson } from '../json-input.ts';
import { findAsk } from '../lookup.ts';
import { print, printJson, printList } from '../output.ts';
import { connect } from '../server-connection.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface RuleFlags {
  json?: boolean;
}

export function rulesCommand(): Command {
  return new Command('rules', 'rules that decide approvals: list, test, explain')
    .withExamples('holdpoint rules list', `holdpoint rules test Bash '{"command":"git status"}'`)
    .withSubcommands(listCommand(), testCommand(), explainCommand());
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

function explainCommand(): Command {
  return new Command('explain', 'why an approval was asked or decided, and what rules and grants say about it now')
    .argument('<request_id>', 'the approval, or the beginning or end of its id')
    .withExamples('holdpoint rules explain d1d077')
    .withServer()
    .action(async (typed: string, flags: ServerFlags) => {
      const client = await connect(flags);
      const ask = (await findAsk(client, 'approval', typed, {})) as ApprovalAskView;
      const { tool_name, input, work_folder, lineage, asked_because } = ask.request;
      const context = lineage ? 'subagent' : 'thread';
      const test = { tool_name, input, context, session_id: ask.session_id, work_folder } as const;
      const now = await client.rules.test(test);
      const then = thenOf(ask) ?? asked_because?.why ?? 'no rule applied: it was asked';
      if (flags.json) return printJson({ request_id: ask.ask_id, then, now });
      print(line(span('then', 'bold'), span(`  ${oneLine(then)}`)));
      print(line(span('now', 'bold'), span(`   ${now.decision}: ${oneLine(now.explanation)}`)));
      for (const part of now.parts) print(line(span(`  ${part.decision.padEnd(8)}  ${oneLine(part.why)}`)));
    });
}

/** What decided it without a person. */
function thenOf({ answer }: ApprovalAskView): string | undefined {
  if (answer?.surface !== 'system') return undefined;
  return `${answer.behavior} by ${answer.answered_by}: ${answer.justification ?? answer.reason ?? ''}`;
}

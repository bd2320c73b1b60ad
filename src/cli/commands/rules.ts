// `holdpoint rules`: shows the rules that the server applies, and tests which of them would decide a call and why. Where no
// server runs, `list` and `test` read the file that it would read. Decides nothing.
import { join } from 'node:path';
import { type Client, PAGE_SIZE } from '../../client/client.ts';
import { stateFolder } from '../../client/local.ts';
import { sourced } from '../../core/rule.ts';
import { compileRules, type RuleSet } from '../../core/rule-index.ts';
import { decideByRules } from '../../core/rule-set.ts';
import type { SourcedRuleView } from '../../core/rule-views.ts';
import type { ApprovalAskView } from '../../core/views.ts';
import { Command } from '../command.ts';
import type { ServerFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { objectOf, readJson } from '../json-input.ts';
import { findAsk } from '../lookup.ts';
import { note, print, printJson, printList } from '../output.ts';
import { connect } from '../server-connection.ts';
import { PAST_TENSE } from '../text/answer-text.ts';
import { line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface TestFlags extends ServerFlags {
  subagent?: boolean;
  sessionId?: string;
}

export function rulesCommand(): Command {
  return new Command('rules', 'rules that decide approvals: list, test, explain')
    .withExamples('holdpoint rules list', `holdpoint rules test Bash '{"command":"git status"}'`)
    .withSubcommands(listCommand(), testCommand(), explainCommand());
}

/** Undefined: none runs here, and the caller named none. */
async function runningServer(flags: ServerFlags): Promise<Client | undefined> {
  try {
    return await connect(flags);
  } catch (error) {
    const isNamed = flags.url !== undefined || process.env.HOLDPOINT_URL !== undefined;
    if (isNamed || !(error instanceof Failure) || error.exit !== 'unreachable') throw error;
    note(`no server is running: these are the rules in ${join(stateFolder(process.env), 'rules.json')}`);
    return undefined;
  }
}

/** boot/ is loaded only by the commands that need it. */
async function ownRules(): Promise<RuleSet> {
  const { loadRules } = await import('../../boot/rules-file.ts');
  return loadRules(stateFolder(process.env)) ?? compileRules(sourced('organisation', 'rules.json', []));
}

function listCommand(): Command {
  return new Command('list', 'the rules that the server applies, in the order in which they are tried')
    .withExamples('holdpoint rules list', 'holdpoint rules list --json')
    .withServer()
    .option('--session-id <id>', 'include the rules of this session')
    .action(async (flags: ServerFlags & { sessionId?: string }) => {
      const client = await runningServer(flags);
      const rules = client
        ? await appliedRules(client, flags.sessionId)
        : (await ownRules()).rules.map(({ sourced: own }) => own);
      printList(rules, flags, 'there are no rules: people decide every approval', {
        rule: ({ position }) => String(position),
        source: ({ source }) => source,
        action: ({ rule }) => line(span(rule.action, 'bold')),
        tool: ({ rule }) => oneLine(rule.tool),
        matches: ({ rule }) => oneLine(rule.matches ? JSON.stringify(rule.matches) : ''),
      });
    });
}

/** Without those that are built in: they hold everywhere, and would hide the others. */
async function appliedRules(client: Client, session_id: string | undefined): Promise<SourcedRuleView[]> {
  const all: SourcedRuleView[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const { rules, fault, next } = await client.rules.list({ session_id, cursor, limit: PAGE_SIZE });
    if (isFirst && fault !== undefined) note(fault);
    all.push(...rules);
    cursor = next;
  }
  return all.filter(({ source }) => source !== 'builtin');
}

function testCommand(): Command {
  return new Command('test', 'which rule would decide a call, and why')
    .argument('<tool>', 'the name of the tool')
    .argument('[input]', 'its arguments, a JSON object', '{}')
    .option('--subagent', 'as if a sub-agent asked')
    .option('--session-id <id>', 'include the rules and grants of this session')
    .withServer()
    .withExamples(
      `holdpoint rules test Bash '{"command":"git status; rm -rf ~"}'`,
      `holdpoint rules test Write '{"file_path":"src/a.ts"}' --subagent`,
    )
    .action(async (tool: string, given: string, flags: TestFlags) => {
      const input = objectOf('<input>', readJson('<input>', { json: given }));
      const context = flags.subagent ? 'subagent' : 'thread';
      const client = await runningServer(flags);
      const { decision, explanation, parts, ...tested } = client
        ? await client.rules.test({ tool_name: tool, input, context, session_id: flags.sessionId })
        : decideByRules({ sets: [await ownRules()] }, { tool, input, context });
      const by = 'decided_by' in tested ? tested.decided_by : 'decidedBy' in tested ? tested.decidedBy : undefined;
      if (flags.json) return printJson({ decision, rule: by?.rule ?? null, source: by?.source ?? null, explanation });
      print(line(span(decision, 'bold'), span(`  ${oneLine(explanation)}`)));
      if (parts.length > 1) for (const part of parts) print(partLine(part));
    });
}

const partLine = ({ decision, why }: { decision: string; why: string }) =>
  line(span(`  ${decision.padEnd(8)}  ${oneLine(why)}`));

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
      const then = thenOf(ask) ?? asked_because?.why ?? 'no rule applied, so people were asked';
      if (flags.json) return printJson({ request_id: ask.ask_id, then, now });
      print(line(span('when raised', 'bold'), span(`  ${oneLine(then)}`)));
      print(line(span('now', 'bold'), span(`          ${WOULD[now.decision]}: ${oneLine(now.explanation)}`)));
      for (const part of now.parts) print(partLine(part));
    });
}

const WOULD = {
  allow: 'would be allowed',
  reject: 'would be denied',
  ask: 'people would be asked',
  delegate: 'would be delegated',
} as const;

/** What decided it without a person. */
function thenOf({ answer }: ApprovalAskView): string | undefined {
  if (answer?.surface !== 'system') return undefined;
  return `${PAST_TENSE[answer.behavior ?? 'answer']} by ${answer.answered_by}: ${answer.justification ?? answer.reason ?? ''}`;
}

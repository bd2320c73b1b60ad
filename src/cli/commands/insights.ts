// `holdpoint insights`: how long answers take, how long agents stood still, and rules for what people always allow. Changes
// nothing: a person adds a rule to rules.json.
import { duration } from '../../client/times.ts';
import type { InsightsView } from '../../core/insight.ts';
import type { RuleSuggestion, RuleSuggestionsView } from '../../core/rule-suggestion.ts';
import { Command } from '../command.ts';
import { type ServerFlags, wholeNumber } from '../command-flags.ts';
import { print, printJson } from '../output.ts';
import { connect } from '../server-connection.ts';
import { jsonText } from '../text/json-text.ts';
import { type Line, line, span } from '../text/spans.ts';
import { oneLine } from '../text/terminal-text.ts';

interface InsightsFlags extends ServerFlags {
  days: string;
  atLeast?: string;
}

const DAY_MS = 86_400_000;
const SHOWN_NAMES = 5;

export function insightsCommand(): Command {
  return new Command('insights', 'how long answers take, agent time lost waiting, and rules for what is always allowed')
    .option('--days <number>', 'number of days to look back', '30')
    .option('--at-least <number>', 'suggest a rule for what was allowed at least this many times; 10 by default')
    .withExamples('holdpoint insights', 'holdpoint insights --days 7 --json')
    .withServer()
    .action(async (flags: InsightsFlags) => {
      const days = wholeNumber('--days', flags.days) ?? 0;
      const at_least = wholeNumber('--at-least', flags.atLeast);
      const client = await connect(flags);
      const from = Math.max(0, Date.now() - days * DAY_MS);
      const [insights, always] = await Promise.all([
        client.insights.show({ from }),
        client.rules.suggestions({ from, at_least }),
      ]);
      if (flags.json) return printJson({ ...insights, always_allowed: always });
      print(...figures(insights, days), ...suggestions(always));
    });
}

const row = (name: string, value: string): Line => line(span(`${name.padEnd(20)}  `, 'dim'), value);

function figures({ ended, waits, lost_ms, by_agent, by_decider }: InsightsView, days: number): Line[] {
  if (ended === 0) return [line(`No requests were resolved in the last ${days} days.`)];
  const wait = (ms: number | undefined) => (ms === undefined ? '–' : duration(ms));
  const lost = by_agent
    .filter((agent) => (agent.lost_ms ?? 0) > 0)
    .slice(0, SHOWN_NAMES)
    .map((agent) => `${oneLine(agent.name)} ${duration(agent.lost_ms ?? 0)}`);
  return [
    row(`Resolved, ${days} days`, ended.toLocaleString('en')),
    row('Decided by', by_decider.map(({ name, count }) => `${name} ${count}`).join(', ')),
    row('Median response', wait(waits.p50_ms)),
    row('90% within', wait(waits.p90_ms)),
    row('Agents waited', `${duration(lost_ms)}${lost.length > 0 ? ` (${lost.join(', ')})` : ''}`),
  ];
}

function suggestions(view: RuleSuggestionsView): Line[] {
  const { suggestions: found, at_least, is_complete, looked_at } = view;
  const part = is_complete ? [] : [line(span(`Only the newest ${looked_at} approvals were looked at.`, 'dim'))];
  if (found.length === 0)
    return [[], line(span(`Nothing was allowed ${at_least} times without exception.`, 'dim')), ...part];
  return [
    [],
    line(
      span('Always allowed', 'bold'),
      span('  add the rule to rules.json to stop being asked, in every folder', 'dim'),
    ),
    ...part,
    ...found.flatMap(suggestionLines),
  ];
}

function suggestionLines({ rule, asked, lost_ms, calls, different_calls, work_folders }: RuleSuggestion): Line[] {
  const where = work_folders.map(oneLine).join(', ');
  const more = different_calls - calls.length;
  return [
    [],
    line(
      span(`asked ${asked} ×, allowed ${asked} ×`, 'bold'),
      span(`, waited ${duration(lost_ms)}${where && `, in ${where}`}`, 'dim'),
    ),
    ...calls.map(({ text, calls: times }) => line(span(`  ${times} ×  ${oneLine(text)}`))),
    ...(more > 0 ? [line(span(`  … and ${more} different calls`, 'dim'))] : []),
    line(span(`  ${oneLine(jsonText(rule))}`, 'accent')),
  ];
}

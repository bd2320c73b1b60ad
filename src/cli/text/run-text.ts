// Renders a run for a terminal: its status, all of it for `runs show`, its output, and the commands that answer its asks.
import { type AskRequest, isQuestion } from '../../client/action-summary.ts';
import { instant } from '../../client/times.ts';
import type { ApprovalRequest, RunView } from '../../core/views.ts';
import { programName } from '../program-name.ts';
import { requestLines, suggestionsOf, withFolder } from './ask-text.ts';
import { fieldLines, indented, paragraph, wrap } from './layout.ts';
import { type Line, line, type Span, type Style, span } from './spans.ts';
import { oneLine, prose } from './terminal-text.ts';

export const statusStyle = (status: string): Style => {
  if (status === 'completed') return 'good';
  if (status === 'failed' || status === 'cancelled' || status === 'interrupted') return 'bad';
  return status.startsWith('waiting') ? 'warn' : 'accent';
};

/** `waiting for approval`, in the colour of the status. */
export const statusSpan = (status: string): Span =>
  span(status.replace('user_question', 'an_answer').replaceAll('_', ' '), statusStyle(status));

/** `run_… is running`, `run_… failed`, and the asks it waits for. */
export function runStatusLines(run: RunView): Line[] {
  const lines: Line[] = [line(`${run.run_id} ${run.status === 'failed' ? '' : 'is '}`, statusSpan(run.status))];
  if (run.error) lines.push(line(span(`  ${oneLine(run.error)}`, 'dim')));
  const pending = pendingOf(run);
  if (pending.length > 0) lines.push(line(span(`  waits for: ${pending.map(({ id }) => id).join(', ')}`, 'dim')));
  return lines;
}

/** `signs`: of risk, by the id of the ask. */
export function runLines(
  run: RunView,
  sessionFolder: string | undefined,
  signs: ReadonlyMap<string, Line[]>,
  width: number,
): Line[] {
  const lines: Line[] = [
    line(span(run.run_id, 'bold'), '  ', statusSpan(run.status)),
    ...fieldLines(
      {
        session: run.session_id,
        agent: run.agent_id,
        task: run.request.text_preview,
        started: instant(run.started_at_ms ?? run.submitted_at_ms),
        queued: run.queued_position === undefined ? undefined : `position ${run.queued_position}`,
        ended: run.finished_at_ms === undefined ? undefined : instant(run.finished_at_ms),
        outcome: run.outcome,
        continues: run.resumes_run_id,
        error: run.error,
      },
      width,
    ),
  ];
  for (const output of run.outputs) if (output.text !== undefined) lines.push(...outputLines(output, width));
  for (const request of pendingOf(run))
    lines.push(
      [],
      ...indented(requestLines(withFolder(request, sessionFolder), width - 2), 2),
      ...(signs.get(request.id) ?? []),
      ...hintLines(request),
    );
  return lines;
}

const pendingOf = ({ pending_approvals, pending_questions }: RunView): AskRequest[] => [
  ...pending_approvals,
  ...pending_questions,
];

/** The output of an agent, by its kind. */
export function outputLines(output: { text?: string | undefined; type?: string | undefined }, width: number): Line[] {
  const text = output.text ?? '';
  if (output.type === 'tool_call') return wrap(line(span('⚙ ', 'accent'), oneLine(text)), width, 2);
  if (output.type === 'tool_result') return wrap(line(span(`  → ${oneLine(text)}`, 'dim')), width, 4);
  if (output.type === 'status') return wrap(line(span(`  · ${oneLine(text)}`, 'dim')), width, 4);
  return paragraph(prose(text), width, 'plain');
}

/** The commands that answer the ask, and the flags with which an approval is allowed further than this once. */
export function hintLines(request: AskRequest): Line[] {
  const name = programName();
  const hints = isQuestion(request)
    ? [`answer:  ${name} questions answer ${request.id} --interactive`]
    : [
        `allow:   ${name} approvals allow ${request.id}`,
        ...furtherFlags(request),
        `deny:    ${name} approvals deny ${request.id} --reason "…"`,
      ];
  return hints.map((hint) => line(span(`  ${hint}`, 'dim')));
}

/** A grant is named beside the agent's own suggestions, so that each is what it is. */
function furtherFlags(request: ApprovalRequest): string[] {
  const suggested = suggestionsOf(request).map(
    ({ id, label }) =>
      `           --suggestion ${oneLine(id)}  the agent's own rule, which it applies without asking: ${oneLine(label)}`,
  );
  return suggested.length === 0 ? [] : [...suggested, ALWAYS];
}
const ALWAYS = '           --always  a grant of Holdpoint: it answers the same call from now on, and can be revoked';

// A run as lines: for `runs`, and for what `questions` and `approvals` say after an answer.

import { instant } from '../../client/times.ts';
import type { RunView } from '../../core/views.ts';
import { ownName } from '../program-name.ts';
import { located, requestLines } from './ask-text.ts';
import { indented, wrap } from './layout.ts';
import { type Line, line, type Style, span } from './spans.ts';
import { oneLine, prose } from './terminal-text.ts';

export const statusStyle = (status: string): Style => {
  if (status === 'completed') return 'good';
  if (status === 'failed' || status === 'cancelled' || status === 'interrupted') return 'bad';
  return status.startsWith('waiting') ? 'warn' : 'accent';
};

/** `run_… is running`, and what it waits for. */
export function runStatusLines(run: RunView): Line[] {
  const lines: Line[] = [line(`${run.run_id} is `, span(run.status.replaceAll('_', ' '), statusStyle(run.status)))];
  if (run.error) lines.push(line(span(`  ${oneLine(run.error)}`, 'dim')));
  const waiting = [...run.pending_approvals, ...run.pending_questions];
  if (waiting.length > 0) lines.push(line(span(`  waits for: ${waiting.map((r) => r.id).join(', ')}`, 'dim')));
  return lines;
}

/** `folder` is that of its session. */
export function runLines(run: RunView, folder: string | undefined, width: number): Line[] {
  const field = (name: string, value: string) => wrap(line(span(name.padEnd(10), 'dim'), value), width, 10);
  const lines: Line[] = [
    line(span(run.run_id, 'bold'), '  ', span(run.status.replaceAll('_', ' '), statusStyle(run.status))),
    ...field('session', run.session_id),
    ...field('agent', run.agent_id),
    ...field('task', oneLine(run.request.text_preview)),
    ...field('begun', instant(run.started_at_ms ?? run.submitted_at_ms)),
  ];
  if (run.queued_position !== undefined) lines.push(...field('queued', `place ${run.queued_position}`));
  if (run.finished_at_ms !== undefined) lines.push(...field('ended', instant(run.finished_at_ms)));
  if (run.outcome !== undefined) lines.push(...field('outcome', oneLine(run.outcome)));
  if (run.resumes_run_id !== undefined) lines.push(...field('carries on', run.resumes_run_id));
  if (run.error !== undefined) lines.push(...field('error', oneLine(run.error)));
  for (const output of run.outputs) if (output.text !== undefined) lines.push(...outputLines(output, width));
  for (const request of [...run.pending_approvals, ...run.pending_questions])
    lines.push(
      [],
      ...indented(requestLines(located(request, folder), width - 2), 2),
      ...hintLines(request.id, 'questions' in request),
    );
  return lines;
}

/** What the agent said, by its kind. */
export function outputLines(output: { text?: string | undefined; type?: string | undefined }, width: number): Line[] {
  const text = output.text ?? '';
  if (output.type === 'tool_call') return wrap(line(span('⚙ ', 'accent'), oneLine(text)), width, 2);
  if (output.type === 'tool_result') return wrap(line(span(`  → ${oneLine(text)}`, 'dim')), width, 4);
  if (output.type === 'status') return wrap(line(span(`  · ${oneLine(text)}`, 'dim')), width, 4);
  return prose(text)
    .split('\n')
    .flatMap((t) => wrap(line(t), width));
}

/** The commands that answer it. */
export function hintLines(askId: string, isQuestion: boolean): Line[] {
  const name = ownName();
  if (isQuestion) return [line(span(`  answer:  ${name} questions answer ${askId} --interactive`, 'dim'))];
  return [
    line(span(`  allow:   ${name} approvals allow ${askId}`, 'dim')),
    line(span(`  deny:    ${name} approvals deny ${askId} --reason "…"`, 'dim')),
  ];
}

// Draws the runs of a session as bars of time: queued, running, held, and how long people took to answer.
import { duration } from '../../../src/client/times.ts';
import type { RunView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { useMe } from '../hooks/me.ts';
import { endMs, type Hold, heldMs, type RunLine } from '../state/timeline.ts';
import { capitalised, endSentence } from '../text/ask-text.ts';
import { statusText } from '../text/session-text.ts';
import { oneLine } from '../text/visible.ts';
import { SideLink } from './side-link.tsx';
import './timeline.css';

interface TimelineProps {
  lines: readonly RunLine[];
  runs: ReadonlyMap<string, RunView>;
}

export function Timeline({ lines, runs }: TimelineProps) {
  if (lines.length === 0) return <p className="small muted">No runs yet.</p>;
  return (
    <>
      <p className="timeline-legend tiny muted">
        {LEGEND.map(([state, text]) => (
          <span key={state}>
            <i className={state} /> {text}
          </span>
        ))}
      </p>
      <ol className="timeline">
        {lines.toReversed().map((line) => (
          <RunItem key={line.runId} line={line} run={runs.get(line.runId)} />
        ))}
      </ol>
    </>
  );
}

const LEGEND = [
  ['queued', 'queued'],
  ['running', 'working'],
  ['held', 'waiting for people'],
] as const;

const KINDS: Record<string, string> = {
  parent_clarification: 'Question from a sub-agent',
  user_question_resume: 'Continues with an answer',
};
const TONES: Record<string, string> = {
  completed: 'good',
  failed: 'bad',
  interrupted: 'bad',
  held: 'warn',
  running: 'accent',
};

function RunItem({ line, run }: { line: RunLine; run: RunView | undefined }) {
  const isOver = line.stretches.at(-1)?.toMs !== undefined;
  // Said below, beside the question.
  const hasExpired = line.status === 'cancelled' && line.holds.some(({ answer }) => answer?.outcome === 'expired');
  return (
    <li className="run">
      <p className="run-head">
        <span className="run-text">{oneLine(run?.request.text_preview ?? '') || KINDS[line.kind] || 'run'}</span>
        <span className={`chip ${TONES[line.status] ?? ''}`}>{statusText(line.status)}</span>
      </p>
      {isOver ? <Bar line={line} nowMs={0} /> : <LiveBar line={line} />}
      {run?.error !== undefined && !hasExpired && <p className="tiny run-error">{capitalised(oneLine(run.error))}</p>}
      <ul>
        {line.holds.map((hold) => (
          <HoldItem key={hold.askId} hold={hold} />
        ))}
      </ul>
    </li>
  );
}

const LiveBar = ({ line }: { line: RunLine }) => <Bar line={line} nowMs={useNow()} />;

/** A stretch that is shorter than this part of the whole would be invisible. */
const MIN_SHARE = 0.02;

function Bar({ line, nowMs }: { line: RunLine; nowMs: number }) {
  const wholeMs = Math.max(1, endMs(line, nowMs) - line.fromMs);
  const held = heldMs(line, nowMs);
  return (
    <>
      <span className="bar" aria-hidden="true">
        {line.stretches.map(({ state, fromMs, toMs }) => (
          <span
            key={fromMs + state}
            className={state}
            style={{ flexGrow: Math.max(MIN_SHARE, ((toMs ?? nowMs) - fromMs) / wholeMs) }}
          />
        ))}
      </span>
      <span className="tiny muted">
        {tookText(wholeMs)}
        {held > 0 && (wholeMs < 1000 ? ', waiting for people' : `, of which ${tookText(held)} waiting for people`)}
      </span>
    </>
  );
}

function HoldItem({ hold }: { hold: Hold }) {
  const me = useMe()?.name;
  const note =
    hold.answer && hold.toMs !== undefined
      ? `${endSentence(hold.answer, me)}${hold.isUnused ? ', not used' : ''} · ${tookText(hold.toMs - hold.fromMs)}`
      : 'waiting for an answer';
  return (
    <li>
      <SideLink href={`/asks/${hold.askId}`} note={note}>
        {hold.kind === 'approval' ? `Approval of ${hold.toolName ?? 'a call'}` : 'Question'}
      </SideLink>
    </li>
  );
}

const tookText = (ms: number): string => (ms < 1000 ? 'under a second' : duration(ms));

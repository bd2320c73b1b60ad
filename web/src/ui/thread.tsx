// Draws a session's thread, oldest first: what the agent says and does, posts of people, and a receipt for each request.
import { Brain, CircleDashed, CircleX, Terminal } from 'lucide-react';
import { Fragment, lazy, Suspense } from 'react';
import { Link } from 'wouter';
import type { AskView, ItemView, RunView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useMe } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { promptIdOf, typeOf } from '../state/thread-prompt.ts';
import { endsItsRun } from '../state/undo-pause.ts';
import { isInDelivery } from '../text/answer-text.ts';
import { capitalised } from '../text/ask-text.ts';
import { receiptOf } from '../text/receipt.ts';
import { Age } from './age.tsx';
import { AlwaysGiven } from './always-given.tsx';
import { AskLine } from './ask-line.tsx';
import { Exact, Prose } from './text.tsx';
import { ToneIcon } from './tone-icon.tsx';
import './thread.css';

const MarkdownText = lazy(() => import('./markdown.tsx'));

/** Longer texts are not formatted, and truncated. */
const MAX_CHARACTERS = 20_000;
const Truncated = ({ text }: { text: string }) =>
  text.length > MAX_CHARACTERS && (
    <p className="tiny muted">{`These are the first 20,000 of ${text.length.toLocaleString('en')} characters.`}</p>
  );
/** Longer lines are collapsed. */
const MAX_OPEN_CHARACTERS = 400;

interface ThreadProps {
  items: readonly ItemView[];
  /** Ended requests, by id. */
  asks: ReadonlyMap<string, AskView>;
  /** Its agent runs commands: each run begins with its own, and what it prints is no prose. */
  isShell: boolean;
  /** By id. Why a run failed is shown where it ended. */
  runs: ReadonlyMap<string, RunView>;
  /** A prompt whose card follows below is not repeated here. */
  isShownBelow: (promptId: string) => boolean;
}

export function Thread({ items, asks, isShell, runs, isShownBelow }: ThreadProps) {
  const resolved = new Set(items.filter((item) => typeOf(item) === RESOLVED).map(promptIdOf));
  const isRepeated = (item: ItemView) =>
    (typeOf(item) === 'pending_prompt' && (isShownBelow(promptIdOf(item)) || resolved.has(promptIdOf(item)))) ||
    (isPrompt(item) && asks.get(promptIdOf(item))?.answer !== undefined);
  const shown = items.filter((item) => !isRepeated(item));
  const receipts = ended(items, asks);
  const left = [...receipts];
  const receiptsUntil = (atMs: number) => {
    const due = left.splice(0, left.filter((ask) => endedAtMs(ask) <= atMs).length);
    return due.map((ask) => (
      <li key={ask.ask_id} className="item">
        <ReceiptLine ask={ask} />
      </li>
    ));
  };
  /** The receipt of a question that expired says already why its run ended. */
  const whyOf = (runId: string) =>
    receipts.some((ask) => ask.run_id === runId && ask.answer?.outcome === 'expired' && endsItsRun(ask))
      ? undefined
      : runs.get(runId)?.error;
  const firstOf = new Map(shown.toReversed().map((item) => [item.metadata?.run_id, item.item_id]));
  return (
    <ol className="thread" aria-label="Thread">
      {shown.map((item) => (
        <Fragment key={item.item_id}>
          {receiptsUntil(item.created_at_ms)}
          {isShell && item.metadata?.run_id !== undefined && firstOf.get(item.metadata.run_id) === item.item_id && (
            <RunCommand runId={String(item.metadata.run_id)} />
          )}
          <li className={`item ${item.author.role} ${typeOf(item)}`}>
            <Item item={item} isShell={isShell} why={whyOf(String(item.metadata?.run_id))} />
          </li>
        </Fragment>
      ))}
      {receiptsUntil(Number.POSITIVE_INFINITY)}
    </ol>
  );
}

type AnswerOf = NonNullable<AskView['answer']>;

/** By when they ended: what was a prompt of the thread, and what ended before it became one, unless a rule decided it. */
function ended(items: readonly ItemView[], asks: ThreadProps['asks']): AskView[] {
  const prompted = new Set(items.filter(isPrompt).map(promptIdOf));
  const isByRule = ({ outcome }: AnswerOf) => outcome === 'answered' || outcome === 'declined';
  // It is asked again.
  const isRestart = ({ reason }: AnswerOf) => reason === 'worker_restart';
  const isTold = (answer: AnswerOf) => answer.surface !== 'system' || !(isByRule(answer) || isRestart(answer));
  return [...asks.values()]
    .filter(({ ask_id, answer }) => answer && (prompted.has(ask_id) || isTold(answer)))
    .sort((a, b) => endedAtMs(a) - endedAtMs(b));
}

/** A kept answer is older than the request that it answers. */
const endedAtMs = ({ answer, created_at_ms }: AskView): number => Math.max(answer?.answered_at_ms ?? 0, created_at_ms);

const RESOLVED = 'pending_prompt_resolved';
const isPrompt = (item: ItemView): boolean => ['pending_prompt', RESOLVED].includes(typeOf(item));

/** The command that a run was started with. */
function RunCommand({ runId }: { runId: string }) {
  const { data } = useFetched({ queryKey: ['run-input', runId], queryFn: () => api.runs.input(runId) });
  const { command } = data ?? {};
  if (!Array.isArray(command)) return null;
  const [shell, option, script] = command.map(String);
  const text = shell === 'sh' && option === '-c' && command.length === 3 ? (script ?? '') : command.join(' ');
  return (
    <li className="item user">
      <Line icon={<Terminal className="icon" />} text={`$ ${text}`} isMono />
    </li>
  );
}

const textOf = ({ content }: ItemView): string =>
  content
    .map((part) => (Object(part) as { text?: unknown }).text)
    .filter((text) => typeof text === 'string')
    .join('\n');

interface ItemProps {
  item: ItemView;
  isShell: boolean;
  why: string | undefined;
}

function Item({ item, isShell, why }: ItemProps) {
  const text = textOf(item);
  switch (typeOf(item)) {
    case 'post':
      return (
        <>
          <p className="item-author">
            <Prose text={item.author.name} /> <Age atMs={item.created_at_ms} />
          </p>
          <div className="bubble prose">
            <Prose text={text} />
          </div>
        </>
      );
    case 'comment':
      return (
        <>
          <p className="item-author">
            <Prose text={item.author.name} /> commented <Age atMs={item.created_at_ms} />
          </p>
          <div className="bubble">
            <Said text={text} />
          </div>
        </>
      );
    case 'text':
      return isShell ? <Line icon={<span className="icon" />} text={text} isMono /> : <Said text={text} />;
    case 'tool_call':
      return <Line icon={<Terminal className="icon" />} text={text} isMono />;
    case 'tool_result':
      return <Line icon={<span className="icon" />} text={text} isMono />;
    case 'thinking':
      return <Line icon={<Brain className="icon" />} text={text} />;
    case 'turn_end':
      return (
        <>
          <p className="turn-end">run {text}</p>
          {why !== undefined && <Line icon={<CircleX className="icon bad" />} text={capitalised(why)} />}
        </>
      );
    case 'pending_prompt':
    case RESOLVED:
      return <UnknownEnd text={text} />;
    default:
      return <Line icon={<CircleDashed className="icon" />} text={text} />;
  }
}

/** One line for what was asked and decided; the request itself is one click away. */
function ReceiptLine({ ask }: { ask: AskView }) {
  const receipt = receiptOf(ask, useMe()?.name);
  if (!receipt) return null;
  const { lead, what, isCode, given, unused, took } = receipt;
  return (
    <p className="receipt">
      <ToneIcon ask={ask} />
      <span>
        <Prose text={lead} />{' '}
        <Link href={`/history/${ask.ask_id}`}>
          {isCode ? (
            <code>
              <AskLine ask={ask} />
            </code>
          ) : (
            <Prose text={what} />
          )}
        </Link>
        {given !== '' && (
          <>
            : <Prose text={given} />
          </>
        )}
        <AlwaysGiven ask={ask} />
        {unused !== '' && <>. {unused}</>}
        {took !== undefined && <span className="muted"> · {took}</span>}
        {isInDelivery(ask) && <span className="chip warn">Delivering…</span>}
      </span>
    </p>
  );
}

/** Of a request that is older than those that were fetched: the first line of the chat's text. */
const UnknownEnd = ({ text }: { text: string }) => (
  <Line icon={<CircleDashed className="icon" />} text={text.replace(/^[❓✓✗] /u, '').split('\n', 1)[0] ?? ''} />
);

function Said({ text }: { text: string }) {
  const plain = (
    <div className="prose">
      <Prose text={text.slice(0, MAX_CHARACTERS)} />
    </div>
  );
  if (text.length > MAX_CHARACTERS)
    return (
      <details>
        <summary>{`A text of ${text.length.toLocaleString('en')} characters`}</summary>
        {plain}
        <Truncated text={text} />
      </details>
    );
  return (
    <Suspense fallback={plain}>
      <MarkdownText text={text} />
    </Suspense>
  );
}

function Line({ icon, text, isMono = false }: { icon: React.ReactNode; text: string; isMono?: boolean }) {
  const shown = isMono ? (
    <Exact text={text.slice(0, MAX_CHARACTERS)} />
  ) : (
    <Prose text={text.slice(0, MAX_CHARACTERS)} />
  );
  if (text.length <= MAX_OPEN_CHARACTERS)
    return (
      <p className={`item-line prose ${isMono ? 'mono' : ''}`}>
        {icon} <span>{shown}</span>
      </p>
    );
  return (
    <details className="item-line">
      <summary>
        {icon} <Prose text={text.slice(0, 120)} />…
      </summary>
      <div className={`prose ${isMono ? 'mono' : ''}`}>{shown}</div>
      <Truncated text={text} />
    </details>
  );
}

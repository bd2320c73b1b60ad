// Draws a session's thread, oldest first: what the agent says and does, posts of people, each prompt and its resolution.
import { Brain, CircleCheck, CircleDashed, CircleHelp, CircleX, Terminal } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { ItemView, RunView } from '../../../src/core/views.ts';
import { promptIdOf, typeOf } from '../state/thread-prompt.ts';
import { Age } from './age.tsx';
import { Exact, Prose } from './text.tsx';
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
  /** By id. Why a run failed is shown where it ended. */
  runs: ReadonlyMap<string, RunView>;
  /** A prompt whose card follows below is not repeated here. */
  isShownBelow: (promptId: string) => boolean;
}

export function Thread({ items, runs, isShownBelow }: ThreadProps) {
  const shown = items.filter((item) => typeOf(item) !== 'pending_prompt' || !isShownBelow(promptIdOf(item)));
  return (
    <ol className="thread" aria-label="Thread">
      {shown.map((item) => (
        <li key={item.item_id} className={`item ${item.author.role} ${typeOf(item)}`}>
          <Item item={item} why={runs.get(String(item.metadata?.run_id))?.error} />
        </li>
      ))}
    </ol>
  );
}

const textOf = ({ content }: ItemView): string =>
  content
    .map((part) => (Object(part) as { text?: unknown }).text)
    .filter((text) => typeof text === 'string')
    .join('\n');

function Item({ item, why }: { item: ItemView; why: string | undefined }) {
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
    case 'text':
      return <Said text={text} />;
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
          {why !== undefined && <Line icon={<CircleX className="icon bad" />} text={why} />}
        </>
      );
    case 'pending_prompt':
      return <Line icon={<CircleHelp className="icon warn" />} text={text.replace(/^❓ /, '')} />;
    case 'pending_prompt_resolved':
      return (
        <Line
          icon={text.startsWith('✓') ? <CircleCheck className="icon good" /> : <CircleX className="icon bad" />}
          text={text.replace(/^[✓✗] /, '')}
        />
      );
    default:
      return <Line icon={<CircleDashed className="icon" />} text={text} />;
  }
}

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

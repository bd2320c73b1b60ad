// A session as chat: what the agent says and does, what people say, each prompt and how it was resolved, oldest first.
import { Brain, CircleCheck, CircleDashed, CircleHelp, CircleX, Terminal } from 'lucide-react';
import { lazy, Suspense } from 'react';
import type { ItemView, RunView } from '../../../src/core/views.ts';
import { promptIdOf, typeOf } from '../state/thread-prompt.ts';
import { Age } from './crumbs.tsx';
import { Exact, Prose } from './text.tsx';

const MarkdownText = lazy(() => import('./markdown.tsx'));

/** Longer texts are shown plain and cut, and say so. */
const LONG = 20_000;
const Cut = ({ text }: { text: string }) =>
  text.length > LONG && (
    <p className="tiny muted">{`These are the first 20,000 of ${text.length.toLocaleString('en')} characters.`}</p>
  );
const FOLDED = 400;

interface ThreadProps {
  items: readonly ItemView[];
  /** By id: why one failed is said where it ended. */
  runs: ReadonlyMap<string, RunView>;
  /** A prompt that is answered right below is not told twice. */
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
      <Prose text={text.slice(0, LONG)} />
    </div>
  );
  if (text.length > LONG)
    return (
      <details>
        <summary>{`A text of ${text.length.toLocaleString('en')} characters`}</summary>
        {plain}
        <Cut text={text} />
      </details>
    );
  return (
    <Suspense fallback={plain}>
      <MarkdownText text={text} />
    </Suspense>
  );
}

function Line({ icon, text, isMono = false }: { icon: React.ReactNode; text: string; isMono?: boolean }) {
  const shown = isMono ? <Exact text={text.slice(0, LONG)} /> : <Prose text={text.slice(0, LONG)} />;
  if (text.length <= FOLDED)
    return (
      <p className={`line prose ${isMono ? 'mono' : ''}`}>
        {icon} <span>{shown}</span>
      </p>
    );
  return (
    <details className="line">
      <summary>
        {icon} <Prose text={text.slice(0, 120)} />…
      </summary>
      <div className={`prose ${isMono ? 'mono' : ''}`}>{shown}</div>
      <Cut text={text} />
    </details>
  );
}

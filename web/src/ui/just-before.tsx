// Shows what the agent said and did just before it asked: the last outputs of its run. Fetched once the card has been
// shown for a moment, so that moving through the list fetches nothing.
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { AskView, RunView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { plainMarkdown } from '../text/plain-markdown.ts';
import { oneLine } from '../text/visible.ts';
import './just-before.css';

const SHOWN_MS = 250;
const MAX_LINES = 3;
const MAX_CHARACTERS = 200;

export function JustBefore({ ask }: { ask: AskView }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useFetched({
    queryKey: ['before', ask.ask_id],
    queryFn: () => api.runs.get(ask.run_id),
    enabled: isShown && ask.run_id !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const lines = data ? lastOutputs(data, ask.created_at_ms) : [];
  if (lines.length === 0) return null;
  return (
    <div className="just-before">
      <h3>
        Just before <Link href={`/sessions/${ask.session_id}`}>Open session</Link>
      </h3>
      <ol>
        {lines.map(({ id, text, isMono }) => (
          <li key={id} className={isMono ? 'mono' : ''} dir="auto">
            {text}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** Texts that were stored before the ask, the last ones, each on one line. */
function lastOutputs({ outputs }: RunView, beforeMs: number) {
  return outputs
    .filter(({ text, at_ms }) => text !== undefined && text.trim() !== '' && at_ms <= beforeMs)
    .slice(-MAX_LINES)
    .map(({ output_id, text = '', type = '' }) => {
      const isMono = type.startsWith('tool');
      const start = text.slice(0, 4 * MAX_CHARACTERS);
      const line = oneLine(isMono ? start : plainMarkdown(start));
      const isWhole = line.length <= MAX_CHARACTERS && text.length <= 4 * MAX_CHARACTERS;
      return {
        id: output_id,
        text: isWhole ? line : `${line.slice(0, MAX_CHARACTERS)}…`,
        isMono,
      };
    });
}

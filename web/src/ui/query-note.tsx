// Says which parts of a search are not understood, so that nobody takes the list for what they searched.
import { unreadParts } from '../../../src/client/inbox-filter.ts';
import { Exact } from './text.tsx';

export function QueryNote({ query }: { query: string }) {
  const unread = unreadParts(query);
  if (unread.length === 0) return null;
  return (
    <p className="small muted" role="status">
      Not understood and left out:{' '}
      {unread.map((part) => (
        <code key={part}>
          <Exact text={part} />{' '}
        </code>
      ))}
    </p>
  );
}

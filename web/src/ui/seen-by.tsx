// Who else has an ask before their eyes, or had: one quiet line that is always there, so that nothing moves when it fills.
import { Fragment } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { useMe } from '../hooks/me.ts';
import { seenByOthers } from '../text/ask-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from './crumbs.tsx';

const MOST_NAMED = 3;

export function SeenBy({ ask }: { ask: AskView }) {
  const others = seenByOthers(ask, useMe()?.name);
  const more = others.length - MOST_NAMED;
  return (
    <p className="seen-by tiny muted">
      {others.slice(0, MOST_NAMED).map(({ by, at_ms }, i) => (
        <Fragment key={by}>
          {i === 0 ? 'Seen by ' : ', '}
          {oneLine(by)} <Age atMs={at_ms} />
        </Fragment>
      ))}
      {more > 0 && `, and ${more} more`}
    </p>
  );
}

// Names who else has seen an ask. The line is always there, so that the card does not move when it fills.
import { Fragment } from 'react';
import type { AskView } from '../../../src/core/views.ts';
import { useMe } from '../hooks/me.ts';
import { seenByOthers } from '../text/answer-text.ts';
import { oneLine } from '../text/visible.ts';
import { Age } from './age.tsx';
import './seen-by.css';

const MAX_NAMED = 3;

export function SeenBy({ ask }: { ask: AskView }) {
  const others = seenByOthers(ask, useMe()?.name);
  const more = others.length - MAX_NAMED;
  return (
    <p className="seen-by tiny muted">
      {others.slice(0, MAX_NAMED).map(({ by, at_ms }, i) => (
        <Fragment key={by}>
          {i === 0 ? 'Seen by ' : ', '}
          {oneLine(by)} <Age atMs={at_ms} />
        </Fragment>
      ))}
      {more > 0 && `, and ${more} more`}
    </p>
  );
}

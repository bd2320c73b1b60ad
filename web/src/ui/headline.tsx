// Draws the headline of an approval: an icon for the tool, and what would be done to what.
import { useMemo } from 'react';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { within } from '../text/ask-text.ts';
import { headlineOf } from '../text/headline.ts';
import { CardTitle } from './card-frame.tsx';
import { KindIcon } from './kind-icon.tsx';
import { Exact } from './text.tsx';

export function Headline({ request, folder }: { request: ApprovalRequest; folder: string | undefined }) {
  const { icon, verb, isToolName, object } = useMemo(() => headlineOf(request), [request]);
  // The command below is the headline; this only names what is done with it.
  const isLabel = icon === 'command' && !isToolName;
  return (
    <CardTitle isLabel={isLabel}>
      <KindIcon kind={icon} />{' '}
      {isToolName ? (
        <code>
          <Exact text={verb} />
        </code>
      ) : (
        verb
      )}
      {object !== '' && (
        <>
          {' '}
          <code>
            <Exact text={within(folder, object)} />
          </code>
        </>
      )}
    </CardTitle>
  );
}

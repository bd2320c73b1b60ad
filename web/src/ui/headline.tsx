// Draws the headline of an approval: an icon for the tool, and what would be done to what.
import { useMemo } from 'react';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { within } from '../text/ask-text.ts';
import { headlineOf } from '../text/headline.ts';
import { CardTitle } from './card-frame.tsx';
import { KindIcon } from './kind-icon.tsx';
import { Exact } from './text.tsx';

interface HeadlineProps {
  request: ApprovalRequest;
  folder: string | undefined;
}

export function Headline({ request, folder }: HeadlineProps) {
  const { icon, isToolName } = useMemo(() => headlineOf(request), [request]);
  // The command below is the headline; this only names what is done with it.
  return (
    <CardTitle isLabel={icon === 'command' && !isToolName}>
      <HeadlineText request={request} folder={folder} />
    </CardTitle>
  );
}

/** The same where it is one of several. */
export function HeadlineText({ request, folder }: HeadlineProps) {
  const { icon, verb, isToolName, object } = useMemo(() => headlineOf(request), [request]);
  return (
    <>
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
    </>
  );
}

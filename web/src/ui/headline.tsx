// Draws the headline of an approval: an icon for the tool, and what would be done to what.
import { FilePen, FileText, Globe, ListChecks, SquareTerminal, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { headlineOf } from '../text/headline.ts';
import { CardTitle } from './card-frame.tsx';
import { Exact } from './text.tsx';

const ICONS = {
  command: SquareTerminal,
  edit: FilePen,
  plan: ListChecks,
  read: FileText,
  web: Globe,
  tool: Wrench,
} as const;

export function Headline({ request }: { request: ApprovalRequest }) {
  const { icon, verb, isToolName, object } = useMemo(() => headlineOf(request), [request]);
  const Icon = ICONS[icon];
  // The command below is the headline; this only names what is done with it.
  const isLabel = icon === 'command' && !isToolName;
  return (
    <CardTitle isLabel={isLabel}>
      <Icon className="icon" aria-hidden="true" />{' '}
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
            <Exact text={object} />
          </code>
        </>
      )}
    </CardTitle>
  );
}

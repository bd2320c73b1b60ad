// Shows what an approval is about, pending or ended, in the order in which a person decides: what would be done, why the
// agent wants it, what to notice, and everything else that its input says.
import type { ReactNode } from 'react';
import { isPlan } from '../../../src/client/action-summary.ts';
import { askedAgainWhy, isAskedAgain } from '../../../src/client/risk-text.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { planFile } from '../text/plan-text.ts';
import { Action, CommandBox } from './action.tsx';
import type { DiffProps } from './diff.tsx';
import { Headline } from './headline.tsx';
import { Plan } from './plan.tsx';
import { Prose } from './text.tsx';

interface ProposalProps {
  request: ApprovalRequest;
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
  onNote?: DiffProps['onNote'];
  /** Signs of risk. */
  children?: ReactNode;
}

export function Proposal({ request, folder, isWhole, onWhole, onNote, children }: ProposalProps) {
  const whole = { request, isWhole, onWhole };
  // A sign says why it is asked again.
  const reason = isAskedAgain(request) ? askedAgainWhy(request.reason).reason : request.reason;
  if (isPlan(request))
    return (
      <>
        <Headline request={request} folder={folder} />
        {children}
        <Plan text={request.reason} file={planFile(request)} />
      </>
    );
  return (
    <>
      <Headline request={request} folder={folder} />
      <CommandBox {...whole} />
      {reason !== '' && (
        <p className="prose reason" dir="auto">
          <Prose text={reason} />
        </p>
      )}
      {children}
      <Action {...{ ...whole, folder, onNote }} />
    </>
  );
}

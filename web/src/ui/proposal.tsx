// What an approval is about, open or ended: why the agent asks, and what it would do; or its plan.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { isPlan, planFile } from '../text/plan-text.ts';
import { Action } from './action.tsx';
import { Plan } from './plan.tsx';
import { Prose } from './text.tsx';

interface ProposalProps {
  request: ApprovalRequest;
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
}

export function Proposal({ request, folder, isWhole, onWhole }: ProposalProps) {
  if (isPlan(request)) return <Plan text={request.reason} file={planFile(request)} />;
  return (
    <>
      {request.reason !== '' && (
        <p className="why">
          <Prose text={request.reason} />
        </p>
      )}
      <Action {...{ request, folder, isWhole, onWhole }} />
    </>
  );
}

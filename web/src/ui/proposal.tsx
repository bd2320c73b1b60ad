// Shows what an approval is about, pending or ended: the agent's reason and the action, or its plan.
import { isPlan } from '../../../src/client/action-summary.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { planFile } from '../text/plan-text.ts';
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
        <p className="prose muted">
          <Prose text={request.reason} />
        </p>
      )}
      <Action {...{ request, folder, isWhole, onWhole }} />
    </>
  );
}

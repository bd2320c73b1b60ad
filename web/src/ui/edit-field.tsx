// Draws the field in which the input of an approval is edited, as a command or as JSON, before it is allowed.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import type { Approval } from '../hooks/approval.ts';
import { editProblem } from '../state/approval.ts';
import { editable } from '../state/edit-input.ts';
import { focus, submitKeys } from './reason-field.tsx';
import './edit-field.css';

interface EditFieldProps {
  askId: string;
  request: ApprovalRequest;
  approval: Approval;
}

export function EditField({ askId, request, approval }: EditFieldProps) {
  const problem = editProblem(approval.form, request);
  const isCommand = editable(request.input).key !== undefined;
  return (
    <div>
      <label className="label" htmlFor={`edit-${askId}`}>
        {isCommand ? 'The command that may run' : 'The input that may run, as JSON'}
      </label>
      <textarea
        id={`edit-${askId}`}
        ref={approval.isFieldWanted ? focus : undefined}
        className="field editor"
        value={approval.form.edit}
        spellCheck={false}
        aria-invalid={problem !== undefined}
        aria-describedby={`edit-problem-${askId}`}
        onChange={(event) => approval.type({ edit: event.target.value })}
        onKeyDown={submitKeys(approval.allow)}
      />
      <p id={`edit-problem-${askId}`} className="error" hidden={problem === undefined}>
        {problem}
      </p>
    </div>
  );
}

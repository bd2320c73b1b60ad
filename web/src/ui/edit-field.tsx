// Draws the field in which the input of an approval is edited, as a command or as JSON, and the change before it is
// allowed. A text with hidden characters is not put into a field, which would show what they do and not what they are, and
// an edit with them is not sent.
import { lazy, Suspense } from 'react';
import { withoutHidden } from '../../../src/core/hidden-characters.ts';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import type { Approval } from '../hooks/approval.ts';
import { MAX_CHARACTERS } from '../state/action-parts.ts';
import { editProblem } from '../state/approval.ts';
import { editable, editLabel } from '../state/edit-input.ts';
import { RenderBoundary } from './error-boundary.tsx';
import { focus, submitKeys } from './reason-field.tsx';
import { Exact } from './text.tsx';
import './edit-field.css';

const Diff = lazy(() => import('./diff.tsx'));

interface EditFieldProps {
  askId: string;
  request: ApprovalRequest;
  approval: Approval;
}

export function EditField({ askId, request, approval }: EditFieldProps) {
  const problem = editProblem(approval.form, request);
  const { text: before, key } = editable(request.input);
  const { edit } = approval.form;
  const visible = withoutHidden(edit);
  if (visible !== edit)
    return (
      <div>
        <pre className="editor-exact">
          <Exact text={edit} />
        </pre>
        <button
          type="button"
          className="button"
          ref={approval.isFieldWanted ? focus : undefined}
          onClick={() => approval.type({ edit: visible })}
        >
          Remove the hidden characters and edit
        </button>
        {problem !== undefined && <p className="error">{problem}</p>}
      </div>
    );
  return (
    <div>
      <label className="label" htmlFor={`edit-${askId}`}>
        {editLabel(key)}
      </label>
      <textarea
        id={`edit-${askId}`}
        ref={approval.isFieldWanted ? focus : undefined}
        className="field editor"
        value={edit}
        readOnly={approval.isOnItsWay}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
        aria-invalid={problem !== undefined}
        aria-describedby={`edit-problem-${askId}`}
        onChange={(event) => approval.type({ edit: event.target.value })}
        onKeyDown={submitKeys(approval.allow)}
      />
      <p id={`edit-problem-${askId}`} className="error" hidden={problem === undefined}>
        {problem}
      </p>
      {edit !== before && problem === undefined && edit.length + before.length <= MAX_CHARACTERS && (
        <RenderBoundary fallback={null}>
          <Suspense fallback={null}>
            <Diff file="Your change" changes={[{ before, after: edit }]} patch={undefined} isWhole onWhole={() => {}} />
          </Suspense>
        </RenderBoundary>
      )}
    </div>
  );
}

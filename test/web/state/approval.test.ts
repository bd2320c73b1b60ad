// Tests what an approval card sends: allow and deny in each mode, edits, drafts, and actions that are not shown whole.
import { describe, expect, it } from 'vitest';
import {
  type ApprovalForm,
  allowed,
  denied,
  draftOf,
  editProblem,
  isEditable,
  openApproval,
  toRead,
  withDraft,
} from '../../../web/src/state/approval.ts';
import { approval } from '../../client/asks.ts';

const requestOf = (input: Record<string, unknown>) => approval(input).request;
const request = requestOf({ command: 'rm -rf build' });
const form = (more: Partial<ApprovalForm> = {}): ApprovalForm => ({ ...openApproval(request), ...more });

it('an approval can be edited where it has an input, unless its caller cannot accept that', () => {
  expect(isEditable(request)).toBe(true);
  expect(isEditable(requestOf({}))).toBe(false);
  expect(isEditable({ ...request, editable: false })).toBe(false);
});

describe('allowing', () => {
  it('sends the call as it is, with the suggestions that were taken', () => {
    expect(allowed(form(), request, [])).toEqual({ behavior: 'allow' });
    expect(allowed(form(), request, ['session'])).toEqual({ behavior: 'allow', suggestion_ids: ['session'] });
  });

  it('sends an edited input, and nothing while it is unchanged or invalid', () => {
    expect(allowed(form({ mode: 'edit', edit: 'rm -rf dist' }), request, [])).toEqual({
      behavior: 'allow',
      updated_input: { command: 'rm -rf dist' },
    });
    expect(allowed(form({ mode: 'edit' }), request, [])).toBeUndefined();
    expect(allowed(form({ mode: 'edit', edit: ' ' }), request, [])).toBeUndefined();
    expect(editProblem(form({ mode: 'edit', edit: ' ' }), request)).toBe('The command is empty.');
  });

  it('waits until a long action was shown whole, and any until all of it was on the screen', () => {
    const long = requestOf({ command: 'x'.repeat(20_001) });
    expect(toRead(form(), long, true)).toBe('show-whole');
    expect(toRead(form({ isWhole: true }), long, false)).toBe('read-on');
    expect(toRead(form({ isWhole: true }), long, true)).toBeUndefined();
    expect(toRead(form(), request, false)).toBe('read-on');
    expect(toRead(form(), request, true)).toBeUndefined();
    const file = { path: '/srv/a.sh', sha256: 'ab', text: 'ls\n'.repeat(30) };
    const folded = { ...requestOf({ command: 'sh a.sh' }), files: [file] };
    expect(toRead(form(), folded, true)).toBe('show-whole');
    expect(toRead(form({ isWhole: true }), folded, true)).toBeUndefined();
  });

  it('sends nothing while a reason to deny is typed', () => {
    expect(allowed(form({ mode: 'deny' }), request, [])).toBeUndefined();
  });
});

describe('denying', () => {
  it('asks for a reason first, then sends it without blanks around it', () => {
    expect(denied(form())).toBe('ask-reason');
    expect(denied(form({ mode: 'edit' }))).toBe('ask-reason');
    expect(denied(form({ mode: 'deny' }))).toEqual({ behavior: 'deny' });
    expect(denied(form({ mode: 'deny', reason: ' not today ' }))).toEqual({ behavior: 'deny', reason: 'not today' });
  });
});

describe('a draft of an approval', () => {
  it('opens the field that it was typed into', () => {
    expect(withDraft(form(), request, { reason: 'no' }, false)).toMatchObject({ mode: 'deny', reason: 'no' });
    expect(withDraft(form(), request, { updated_input: 'ls', reason: 'no' }, false)).toMatchObject({
      mode: 'edit',
      edit: 'ls',
    });
    expect(withDraft(form(), request, {}, false)).toEqual(form());
  });

  it('replaces what was typed here only where it is newer', () => {
    const mine = form({ mode: 'deny', reason: 'mine', isTouched: true });
    expect(withDraft(mine, request, { reason: 'older' }, false)).toBe(mine);
    expect(withDraft(mine, request, { reason: 'newer' }, true)).toMatchObject({ reason: 'newer' });
  });

  it('holds only what differs from the request', () => {
    expect(draftOf(form(), request)).toEqual({});
    expect(draftOf(form({ reason: 'no', edit: 'ls' }), request)).toEqual({ reason: 'no', updated_input: 'ls' });
  });
});

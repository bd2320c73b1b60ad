// The message to a restarted agent: what people decided while it was gone, and what it may have acted on before.
import { expect, it } from 'vitest';
import { resumeMessage } from '../../../src/agents/kit/resume-message.ts';
import type { AskView } from '../../../src/core/views.ts';

const approval = (answer: object | undefined, lineage?: string[]): AskView =>
  ({ kind: 'approval', request: { tool_name: 'Bash', input: { command: 'make' }, lineage }, answer }) as never;
const questions = [
  { id: 'a', question: 'Which port?', options: [] },
  { id: 'b', question: 'Which host?', options: [{ id: 'one', label: 'localhost' }] },
];
const question = (answer: object): AskView =>
  ({ kind: 'question', request: { questions, context: 'Before the deploy' }, answer }) as never;

it('reports decisions the agent does not know apart from those it may have acted on', () => {
  const due = [approval({ outcome: 'answered', behavior: 'allow' })];
  const delivered = [approval({ outcome: 'answered', behavior: 'deny', reason: 'too late' })];
  expect(resumeMessage(due, delivered).split('\n\n')).toEqual([
    'You were interrupted before you had finished, and are now started again in the same conversation.',
    'Before that the person had decided, and you may or may not have acted on it:',
    'You asked to use Bash: {"command":"make"}\n→ not allowed: too late',
    'Meanwhile the person decided:',
    'You asked to use Bash: {"command":"make"}\n→ allowed',
    'What was allowed has not been done yet unless you see that it was: ask for it again exactly as before.',
    'Go on with the task.',
  ]);
});

it('says nothing of what was allowed where nothing was', () => {
  const denied = approval({ outcome: 'answered', behavior: 'deny', reason: 'no' });
  const answered = question({ outcome: 'answered', answers: [{ question_id: 'a', freeform_answer: '80' }] });
  expect(resumeMessage([denied, answered], [])).not.toContain('What was allowed');
});

it('leaves out asks that are still open', () => {
  expect(resumeMessage([approval(undefined)], []).split('\n\n')).toHaveLength(2);
});

it('reports a changed action, and the sub-agent that asked', () => {
  const answer = { outcome: 'answered', behavior: 'allow', updated_input: { command: 'make test' } };
  expect(resumeMessage([approval(answer, ['worker', 'tester'])], [])).toContain(
    'Your sub-agent (worker › tester) asked to use Bash: {"command":"make"}\n→ allowed only in this form: {"command":"make test"}',
  );
});

it('reports answers, skipped questions and questions without an answer', () => {
  const answers = [{ question_id: 'b', selected_option_ids: ['one'], freeform_answer: 'IPv6' }];
  expect(resumeMessage([question({ outcome: 'answered', answers })], [])).toContain(
    'Before the deploy\nYou asked: Which port?\n→ (skipped)\nYou asked: Which host?\n→ localhost; IPv6',
  );
  expect(resumeMessage([question({ outcome: 'expired' })], [])).toContain('You asked: Which host?\n→ expired');
});

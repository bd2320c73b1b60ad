// Approvals as lines for a terminal.
// Covers: src/cli/text/question-text.ts
import { describe, expect, it } from 'vitest';
import { approvalLines, requestLines, summary } from '../../../src/cli/text/ask-text.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { completeQuestions } from '../../../src/core/question.ts';

describe('an approval at a terminal', () => {
  const ASKED = {
    id: 'ask_1',
    tool_call_id: 'c',
    tool_name: 'Bash',
    input: { command: 'ls' },
    scope: 's',
    reason: '',
    digest: 'd',
    created_at_ms: 2,
  };

  it('names an earlier decision that was lost with its worker', () => {
    const earlier = {
      ask_id: 'ask_0',
      behavior: 'deny' as const,
      answered_by: 'lead',
      answered_at_ms: 1,
      reason: 'no',
    };
    const lines = approvalLines({ ...ASKED, earlier }, 80).map(plain);
    expect(lines).toContain('Before the worker was lost, lead denied this (no). Decide again.');
  });

  it('shows the text of a script that the command runs, with its hidden characters', () => {
    const files = [
      { path: '/srv/x.sh', sha256: 'a', text: 'ls\nrm\u200b x\n' },
      { path: '/srv/data.json', sha256: 'b' },
    ];
    const lines = approvalLines({ ...ASKED, files }, 80).map((of) => plain(of).trim());
    expect(lines.slice(-3)).toEqual(['/srv/x.sh, which the command runs:', '│ ls', expect.stringMatching(/^│ rm.+x$/)]);
    expect(lines.at(-1)).not.toContain('\u200b');
    expect(lines.join()).not.toContain('data.json');
  });

  it('of a plan asks for it and shows it once, with the file that it is in', () => {
    const plan = '# Move the tests\n\n1. **First** this\u200b';
    const asked = { ...ASKED, tool_name: 'ExitPlanMode', reason: plan, input: { plan, planFilePath: '/p/x.md' } };
    const text = ['Approve this plan?', '', 'Move the tests', '', '1. First this<U+200B>'];
    expect(approvalLines(asked, 80).map(plain)).toEqual([...text, '', 'planFilePath: /p/x.md']);
    expect(approvalLines({ ...asked, input: {} }, 80).map(plain)).toEqual(text);
    const other = approvalLines({ ...asked, input: { plan: 'something else' } }, 80).map(plain);
    expect(other).toEqual(expect.arrayContaining(['Allow ExitPlanMode?', 'plan: something else']));
  });

  it('of a question is named without the marks of its Markdown', () => {
    const questions = completeQuestions([{ id: 'q', question: '## Where to **deploy**?\n\n- here' }]);
    const asked = { id: 'ask_1', tool_call_id: 'c', questions, digest: 'd', created_at_ms: 2 };
    expect(summary(asked)).toBe('Where to deploy? - here');
    expect(requestLines(asked, 80).map(plain)).toEqual(expect.arrayContaining(['Where to deploy?', '• here']));
  });

  it('shows a long text of its input to the last line', () => {
    const plan = Array.from({ length: 3000 }, (_, n) => `${n + 1}. Make thing ${n + 1}.`);
    const asked = { ...ASKED, tool_name: 'ExitPlanMode', input: { plan: plan.join('\n') } };
    const lines = approvalLines(asked, 80).map((of) => plain(of).trim());
    expect(lines.filter((text) => text.startsWith('│ ')).map((text) => text.slice(2))).toEqual(plan);
  });
});

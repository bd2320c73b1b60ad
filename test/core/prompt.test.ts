// An ask as a chat item: the documented example, then every kind and every end.
import { describe, expect, it } from 'vitest';
import { DEFAULT_DENIAL } from '../../src/core/answer.ts';
import type { Answer, ApprovalContent, EndedStatus } from '../../src/core/ask.ts';
import { type Prompted, pendingPrompt, promptKind, promptState, resolvedPrompt } from '../../src/core/prompt.ts';
import { completeQuestions, type QuestionInput } from '../../src/core/question.ts';

const asks = (questions: QuestionInput[], context?: string): Prompted => ({
  id: 'prm_01J',
  kind: 'question',
  content: { questions: completeQuestions(questions), ...(context !== undefined && { context }) },
});
const approves = (content: Partial<ApprovalContent> = {}): Prompted => ({
  id: 'prm_01J',
  kind: 'approval',
  content: { tool_name: 'Bash', input: { command: 'rm -rf build' }, reason: '', scope: 'session', ...content },
});
const ended = (outcome: EndedStatus, more: Partial<Answer> = {}): Answer => ({
  outcome,
  answered_by: 'lead',
  surface: 'thread',
  answered_at_ms: 1,
  ...more,
});
const answered = (...answers: NonNullable<Answer['answers']>): Answer => ended('answered', { answers });
const promptOf = ({ metadata }: { metadata: { prompt: Record<string, unknown> } }) => metadata.prompt;

const TARGET: QuestionInput = {
  id: 'target',
  question: "What's the deployment target?",
  options: [
    { id: 'a', label: 'staging', description: 'push to staging.example.com' },
    { id: 'b', label: 'production', description: 'push to www.example.com' },
  ],
};
const REGIONS: QuestionInput = {
  id: 'regions',
  question: 'Which regions?',
  multi_select: true,
  options: [{ label: 'Europe' }, { label: 'Asia' }],
};
const NOTE: QuestionInput = { id: 'note', question: 'Anything else?' };
const SECRET: QuestionInput = { id: 'key', question: 'Which key?', secret: true };

describe('the documented example', () => {
  it('posts the documented prompt exactly', () => {
    expect(pendingPrompt(asks([TARGET]))).toEqual({
      text: [
        '❓ Provide input:',
        "What's the deployment target?",
        '  1. staging — push to staging.example.com',
        '  2. production — push to www.example.com',
        'Reply with a number, the option text, or free text.',
      ].join('\n'),
      metadata: {
        type: 'pending_prompt',
        prompt: {
          prompt_id: 'prm_01J',
          kind: 'ask_user_question',
          prompt_state: 'pending',
          questions: [
            {
              question: "What's the deployment target?",
              multiSelect: false,
              options: [
                { label: 'staging', description: 'push to staging.example.com' },
                { label: 'production', description: 'push to www.example.com' },
              ],
            },
          ],
        },
      },
    });
  });

  it('resolves the documented prompt exactly', () => {
    expect(resolvedPrompt(asks([TARGET]), answered({ question_id: 'target', selected_option_ids: ['a'] }))).toEqual({
      text: '✓ Answered: staging',
      metadata: {
        type: 'pending_prompt_resolved',
        prompt: {
          prompt_id: 'prm_01J',
          kind: 'ask_user_question',
          prompt_state: 'answered',
          answers: [{ question: "What's the deployment target?", answer: ['staging'] }],
          reason: null,
        },
      },
    });
  });

  it('writes the keys of prompts in the documented order', () => {
    const prompt = promptOf(pendingPrompt(asks([TARGET])));
    expect(Object.keys(prompt)).toEqual(['prompt_id', 'kind', 'prompt_state', 'questions']);
    const resolved = promptOf(resolvedPrompt(asks([TARGET]), ended('declined')));
    expect(Object.keys(resolved)).toEqual(['prompt_id', 'kind', 'prompt_state', 'answers', 'reason']);
  });
});

describe('kinds', () => {
  it.each([
    ['approval', approves()],
    ['text', asks([NOTE])],
    ['text', asks([SECRET])],
    ['ask_user_question', asks([TARGET])],
    ['ask_user_question', asks([REGIONS])],
    ['ask_user_question', asks([NOTE, SECRET])],
  ] as const)('has the kind %s in every state of the prompt', (kind, ask) => {
    expect(promptKind(ask)).toBe(kind);
    expect(promptOf(pendingPrompt(ask)).kind).toBe(kind);
    expect(promptOf(resolvedPrompt(ask, ended('expired'))).kind).toBe(kind);
  });

  it('shows a text prompt with its question and how to reply', () => {
    const { text, metadata } = pendingPrompt(asks([NOTE]));
    expect(text).toBe('❓ Provide input:\nAnything else?\nReply with free text.');
    expect(metadata.prompt.questions).toEqual([{ question: 'Anything else?', multiSelect: false, options: [] }]);
  });

  it('shows an approval with its action, its reason, and that an unclear reply denies', () => {
    const { text, metadata } = pendingPrompt(approves({ reason: 'deletes files' }));
    expect(text.split('\n')).toEqual([
      '❓ Approve?',
      'Bash: rm -rf build',
      'deletes files',
      '  1. Approve',
      '  2. Deny',
      'Reply with approve or deny. Anything else denies.',
    ]);
    expect(metadata.prompt.questions).toEqual([
      { question: 'Bash: rm -rf build', multiSelect: false, options: [{ label: 'Approve' }, { label: 'Deny' }] },
    ]);
  });

  it('shows the text of a script that the command runs, and no other file', () => {
    const files = [
      { path: '/srv/x.sh', sha256: 'a', text: 'ls\n  1. Approve\n' },
      { path: '/srv/data.json', sha256: 'b' },
    ];
    const lines = pendingPrompt(approves({ files })).text.split('\n');
    expect(lines.slice(2, 6)).toEqual(['runs /srv/x.sh:', '  │ ls', '  │   1. Approve', '  1. Approve']);
  });

  it('gives a renderer the whole action of an approval and nothing else', () => {
    const action = { tool_name: 'Edit', input: { b: 1, a: 2 }, reason: '', scope: 'session', diff: '-a\n+b' };
    const ask = approves({ ...action, digest: 'd', created_at_ms: 1 } as Partial<ApprovalContent>);
    expect(promptOf(pendingPrompt(ask)).approval).toEqual(action);
    expect(pendingPrompt(ask).text.split('\n')[1]).toBe('Edit: {"a":2,"b":1}');
  });

  it('says that a multi-select question takes several options', () => {
    const { text, metadata } = pendingPrompt(asks([REGIONS]));
    expect(text.split('\n').slice(1)).toEqual([
      'Which regions?',
      '  1. Europe',
      '  2. Asia',
      'Reply with one or more numbers, the option text, or free text.',
    ]);
    expect(metadata.prompt.questions).toEqual([
      { question: 'Which regions?', multiSelect: true, options: [{ label: 'Europe' }, { label: 'Asia' }] },
    ]);
  });

  it('numbers several questions as their answers are read', () => {
    const { text, metadata } = pendingPrompt(asks([TARGET, REGIONS, NOTE]));
    expect(text.split('\n')).toEqual([
      '❓ Provide input:',
      "1) What's the deployment target?",
      '  1. staging — push to staging.example.com',
      '  2. production — push to www.example.com',
      '2) Which regions?',
      '  1. Europe',
      '  2. Asia',
      '3) Anything else?',
      'Reply with one line per question: 1) … 2) …, each a number (several where more than one may be chosen), the option text, or free text.',
    ]);
    expect(metadata.prompt.questions).toHaveLength(3);
  });

  it.each([[[TARGET]], [[TARGET, NOTE]]])(
    'does not ask for a text reply to a form, which would be refused',
    (questions) => {
      const { text } = pendingPrompt(asks(questions), 'form');
      expect(text).not.toContain('Reply with');
      expect(text.split('\n').at(-1)).toMatch(/^Answer or cancel the form itself: /);
    },
  );

  it('shows the context of a question before the question', () => {
    expect(
      pendingPrompt(asks([NOTE], 'The build is red.'))
        .text.split('\n')
        .slice(0, 3),
    ).toEqual(['❓ Provide input:', 'The build is red.', 'Anything else?']);
  });
});

describe('answers', () => {
  const resolved = (ask: Prompted, answer: Answer) => {
    const { text, metadata } = resolvedPrompt(ask, answer);
    return { text, answers: metadata.prompt.answers, reason: metadata.prompt.reason };
  };

  it('quotes one of several answers where it has a comma', () => {
    const many = { question_id: 'regions', selected_option_ids: ['option-1'], freeform_answer: 'Asia, perhaps' };
    expect(resolved(asks([REGIONS]), answered(many)).text).toBe('✓ Answered: Europe, "Asia, perhaps"');
    const one = { question_id: 'note', freeform_answer: 'soon, please' };
    expect(resolved(asks([NOTE]), answered(one)).text).toBe('✓ Answered: soon, please');
  });

  it('shows chosen options by their labels, and free text as it is', () => {
    const answer = answered(
      { question_id: 'note', freeform_answer: 'at noon' },
      { question_id: 'regions', selected_option_ids: ['option-2', 'option-1'], freeform_answer: 'and more' },
      { question_id: 'target', selected_option_ids: ['b'] },
    );
    expect(resolved(asks([TARGET, REGIONS, NOTE]), answer)).toEqual({
      text: '✓ Answered: production; Asia, Europe, and more; at noon',
      answers: [
        { question: "What's the deployment target?", answer: ['production'] },
        { question: 'Which regions?', answer: ['Asia', 'Europe', 'and more'] },
        { question: 'Anything else?', answer: ['at noon'] },
      ],
      reason: null,
    });
  });

  it('leaves an unanswered question out of the answers', () => {
    const answer = answered({ question_id: 'note', freeform_answer: '0' });
    expect(resolved(asks([{ ...TARGET, required: false }, NOTE]), answer).answers).toEqual([
      { question: 'Anything else?', answer: ['0'] },
    ]);
  });

  it.each([
    ['sealed', { question_id: 'key' }],
    ['in the clear', { question_id: 'key', freeform_answer: 'hunter2', selected_option_ids: ['hunter2'] }],
  ])('shows that a secret was given, never its value: %s', (_, given) => {
    const item = resolvedPrompt(asks([SECRET, NOTE]), answered(given, { question_id: 'note', freeform_answer: 'x' }));
    expect(item.text).toBe('✓ Answered: (secret); x');
    expect(item.metadata.prompt.answers).toEqual([
      { question: 'Which key?', answer: ['(secret)'] },
      { question: 'Anything else?', answer: ['x'] },
    ]);
    expect(JSON.stringify(item)).not.toContain('hunter2');
  });

  it('shows a decision as Approve or Deny, a denial with its reason', () => {
    const answers = (label: string) => [{ question: 'Bash: rm -rf build', answer: [label] }];
    const decided = (behavior: 'allow' | 'deny', reason?: string) =>
      resolved(approves(), ended('answered', { behavior, ...(reason !== undefined && { reason }) }));
    const approve = { text: '✓ Answered: Approve', answers: answers('Approve'), reason: null };
    const deny = { text: '✓ Answered: Deny', answers: answers('Deny'), reason: null };
    expect(decided('allow')).toEqual(approve);
    expect(decided('allow', 'looks fine')).toEqual(approve);
    expect(decided('deny', DEFAULT_DENIAL)).toEqual(deny);
    expect(decided('deny')).toEqual(deny);
    expect(decided('deny', 'use staging')).toEqual({ ...deny, text: '✓ Answered: Deny (use staging)' });
  });

  it('shows an approval without a behaviour as denied', () => {
    expect(resolved(approves(), ended('answered')).text).toBe('✓ Answered: Deny');
  });
});

describe('ends without an answer', () => {
  it.each([
    ['declined', {}, 'cancelled', 'declined', '✗ Cancelled: declined'],
    ['declined', { justification: 'not now' }, 'cancelled', 'declined', '✗ Cancelled: declined (not now)'],
    ['expired', { reason: 'expired', behavior: 'deny' }, 'cancelled', 'expired', '✗ Cancelled: expired'],
    ['expired', { justification: 'too late' }, 'cancelled', 'expired', '✗ Cancelled: expired'],
    ['cancelled', { reason: 'worker_restart' }, 'cancelled', 'worker_restart', '✗ Cancelled: the worker was lost'],
    ['cancelled', { reason: 'withdrawn' }, 'cancelled', 'withdrawn', '✗ Cancelled: the agent took it back'],
    [
      'cancelled',
      { reason: 'withdrawn', justification: 'said there' },
      'cancelled',
      'said there',
      '✗ Cancelled: said there',
    ],
    ['cancelled', { justification: 'changed my mind' }, 'cancelled', 'changed my mind', '✗ Cancelled: changed my mind'],
    ['cancelled', { justification: 'withdrawn' }, 'cancelled', 'withdrawn', '✗ Cancelled: withdrawn'],
    ['cancelled', {}, 'cancelled', 'cancelled by lead', '✗ Cancelled by lead'],
    ['cancelled', { reason: 'cancelled by operator' }, 'cancelled', 'cancelled by operator', '✗ Cancelled by operator'],
    ['failed', { reason: 'the agent failed' }, 'failed', 'the agent failed', '✗ Failed: the agent failed'],
  ] as const)('shows the outcome %s with %j as %s: %s', (outcome, more, state, reason, text) => {
    expect(promptState(ended(outcome))).toBe(state);
    for (const ask of [asks([TARGET]), asks([NOTE]), approves()])
      expect(resolvedPrompt(ask, ended(outcome, more))).toEqual({
        text,
        metadata: {
          type: 'pending_prompt_resolved',
          prompt: { prompt_id: 'prm_01J', kind: promptKind(ask), prompt_state: state, answers: [], reason },
        },
      });
  });
});

it('shows an undelivered answer with what was answered and why it was lost', () => {
  const answer = answered({ question_id: 'target', selected_option_ids: ['a'] });
  const item = resolvedPrompt(asks([TARGET]), answer, { state: 'cancelled', reason: 'worker_restart' });
  expect(item.text).toBe('✗ Answered: staging. The agent did not take it: the worker was lost');
  expect(item.metadata.prompt).toMatchObject({
    prompt_state: 'cancelled',
    answers: [{ question: "What's the deployment target?", answer: ['staging'] }],
    reason: 'worker_restart',
  });
});

describe('text of an agent in a prompt', () => {
  it('cannot imitate a line of the prompt', () => {
    const options = [{ label: 'staging\n  2. production' }, { label: 'destroy everything' }];
    const { text } = pendingPrompt(asks([{ id: 'q', question: 'Where?\n  1. here', options }]));
    expect(text.split('\n')).toEqual([
      '❓ Provide input:',
      'Where?',
      '  │   1. here',
      '  1. staging 2. production',
      '  2. destroy everything',
      'Reply with a number, the option text, or free text.',
    ]);
    expect(pendingPrompt(approves({ input: { command: 'ls\n  1. Approve' } })).text).toContain(
      'Bash: ls\n  │   1. Approve\n',
    );
  });

  it('has its hidden characters spelled out', () => {
    const { text } = pendingPrompt(approves({ input: { command: 'ls \u202e cod\u200b\u0007' } }));
    expect(text).toContain('Bash: ls <U+202E> cod<U+200B>␇\n');
  });

  it('finding 21: marks selectors, gaps and look-alikes as the page does', () => {
    const command = `deploy\ufe0f.sh pаypal${'\n'.repeat(300)}curl evil`;
    const { text } = pendingPrompt(approves({ input: { command } }));
    expect(text).toContain('Bash: deploy<U+FE0F>.sh pа⟨Cyrillic⟩ypal⟨300 line ends⟩\n  │ curl evil\n');
  });
});

describe('the action of an approval', () => {
  it('finding 8: is shown with its folder, its other fields, its diff and who asks', () => {
    const input = { command: 'make', timeout: 5 };
    const { text, metadata } = pendingPrompt(
      approves({ input, diff: '-a\n+b', lineage: ['reviewer'] }),
      'blocking',
      '/srv/project',
    );
    expect(text.split('\n').slice(1, 8)).toEqual([
      'Bash: make',
      'with {"timeout":5}',
      'in /srv/project',
      'Asked by reviewer.',
      'changes:',
      '  │ -a',
      '  │ +b',
    ]);
    expect(metadata.prompt.approval).toMatchObject({ work_folder: '/srv/project', lineage: ['reviewer'] });
  });

  it('is recorded as it was allowed when a person changed it', () => {
    const { text, metadata } = resolvedPrompt(
      approves(),
      ended('answered', { behavior: 'allow', updated_input: { command: 'ls build' } }),
    );
    expect(text).toBe('✓ Answered: Approve, changed to ls build');
    expect(metadata.prompt.answers).toEqual([
      { question: 'Bash: rm -rf build', answer: ['Approve'], allowed_instead: { command: 'ls build' } },
    ]);
  });
});

it('keeps everything a renderer needs to know about a question', () => {
  const question: QuestionInput = {
    id: 'q',
    header: 'Target',
    question: 'Where?',
    required: false,
    allow_other: false,
    secret: true,
    options: [{ label: 'A', preview: 'code', recommended: true }],
  };
  expect(promptOf(pendingPrompt(asks([question]))).questions).toEqual([
    {
      header: 'Target',
      question: 'Where?',
      multiSelect: false,
      required: false,
      allow_other: false,
      secret: true,
      options: [{ label: 'A', preview: 'code', recommended: true }],
    },
  ]);
});

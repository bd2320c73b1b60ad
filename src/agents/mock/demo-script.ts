// Contains the script that the mock agent plays by default: a coding session with every common kind of ask. Text only: it
// reads and changes no file.
import type { Step } from './input.ts';

/** An agent that needs a moment is easier to follow. */
const PAUSE_MS = 200;

const DIFF = `--- a/test/invoice.test.ts
+++ b/test/invoice.test.ts
@@ -12,3 +12,3 @@
   const invoice = issue(order, { on: '2026-03-29' });
-  expect(invoice.due).toBe('2026-04-27');
+  expect(invoice.due).toBe('2026-04-28');
 });`;

export const demoScript = (task: string | undefined): Step[] => [
  { do: 'say', text: `I'll start with what fails. Task: ${task || 'make the test suite pass again'}` },
  { do: 'sleep', ms: PAUSE_MS },
  { do: 'say', type: 'tool_call', text: 'Read package.json' },
  { do: 'say', type: 'tool_call', text: 'Read src/invoice.ts' },
  { do: 'say', type: 'tool_call', text: 'Bash npm test' },
  { do: 'sleep', ms: PAUSE_MS },
  { do: 'say', type: 'tool_result', text: '41 passed, 1 failed: invoice is due 30 days after it was issued' },
  { do: 'say', text: 'Two date libraries disagree about the day the clocks change. Only one of them should stay.' },
  {
    do: 'ask',
    id: 'date-library',
    questions: [
      {
        id: 'library',
        header: 'Dates',
        question: 'Which date library should stay?',
        options: [
          { id: 'date-fns', label: 'date-fns', description: 'used in 14 files', recommended: true },
          { id: 'luxon', label: 'Luxon', description: 'used in 3 files, knows time zones' },
          {
            id: 'temporal',
            label: 'Temporal',
            description: 'no dependency once browsers have it; a polyfill until then',
          },
        ],
      },
    ],
    answered: [{ do: 'say', text: 'Good: {{date-library}} stays. I take the other one out of package.json.' }],
    otherwise: [{ do: 'say', text: 'No preference then; I keep the one that most files use.' }],
  },
  {
    do: 'approve',
    id: 'rewrite-snapshots',
    tool_name: 'Bash',
    input: { command: 'rm -rf test/__snapshots__ && npm test -- --update' },
    reason: 'Writes all snapshots anew so that the failing test passes',
    allowed: [{ do: 'say', type: 'tool_result', text: '42 passed; 17 snapshots written' }],
    denied: [
      { do: 'say', text: 'Understood: "{{rewrite-snapshots}}". I leave the snapshots alone and correct the one test.' },
      {
        do: 'approve',
        id: 'edit-test',
        tool_name: 'Edit',
        input: { file: 'test/invoice.test.ts', line: 13, replace: '2026-04-27', with: '2026-04-28' },
        reason: 'The expected day was one too early',
        diff: DIFF,
        allowed: [{ do: 'say', type: 'tool_result', text: 'Edited test/invoice.test.ts: {{edit-test}}' }],
        denied: [{ do: 'say', text: 'I leave the test as it is: {{edit-test}}' }],
      },
    ],
  },
  {
    do: 'subagent',
    id: 'release-notes',
    title: 'Release notes',
    text: 'Write the release note for this change',
    script: [
      { do: 'say', type: 'tool_call', text: 'Bash git log --oneline v2.3.0..' },
      {
        do: 'clarify',
        id: 'version-bump',
        questions: [
          {
            id: 'bump',
            header: 'Version',
            question: 'Is this a patch or a minor release?',
            options: [
              { id: 'patch', label: 'Patch', description: '2.3.1' },
              { id: 'minor', label: 'Minor', description: '2.4.0: due dates change by a day for some customers' },
            ],
          },
        ],
      },
      { do: 'say', text: 'The note is written for this release: {{version-bump}}.' },
    ],
    afterwards: [
      {
        do: 'complete',
        text: [
          'Done. What I was told and what I made of it:',
          '· date library: {{date-library}}',
          '· rewriting all snapshots: {{rewrite-snapshots}}',
          '· release: {{version-bump}}',
        ].join('\n'),
      },
    ],
  },
  { do: 'complete', text: 'A sub-agent writes the release note; I sum up when it is done.' },
];

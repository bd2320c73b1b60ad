// Writes docs/errors.md from the catalogue of refusals, their statuses and what to do about each.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './node.mjs';

const { ERRORS } = await import('../src/core/errors.ts');
const { ADVICE } = await import('../src/core/error-advice.ts');
const { STATUS } = await import('../src/server/problem.ts');

export function errorsPage() {
  const domains = Map.groupBy(Object.entries(ERRORS), ([, [domain]]) => domain);
  const sections = [...domains].map(([domain, codes]) => {
    const rows = codes.map(([code, [, title]]) => `| \`${code}\` | ${STATUS[code]} | ${title}. | ${ADVICE[code]} |`);
    return [`## ${domain}`, '', '| code | status | means | what to do |', '|---|---|---|---|', ...rows, ''].join('\n');
  });
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# Errors

A refusal is an \`application/problem+json\` document. \`code\` never changes its meaning; \`detail\` is for people and says what
happened, what was expected, and what to do. What was refused changed nothing.

\`\`\`json
{
  "type": "urn:holdpoint:problem:question_state_conflict",
  "title": "This question is not waiting for an answer",
  "status": 409,
  "detail": "It was answered by operator (web).",
  "domain": "questions",
  "code": "question_state_conflict",
  "winner": { "answered_by": "operator", "surface": "web", "answered_at_ms": 1794960000000, "outcome": "answered" },
  "request_id": "ask_…"
}
\`\`\`

The client throws it as \`HoldpointProblem\`; the command line turns it into an [exit code](cli.md#exit-codes). This page is
generated from the catalogue of the server (\`npm run docs:errors\`).
`;

if (import.meta.filename === process.argv[1]) writeFileSync(join(root, 'docs', 'errors.md'), errorsPage());

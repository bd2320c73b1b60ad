// Resumes a run whose OpenCode process ended with open asks: writes the prompt, and holds the approvals granted meanwhile
// until OpenCode repeats the requests, which it forgets with the process.
import type { AgentContext } from '../agent.ts';
import { resumption } from '../kit/resume-message.ts';
import type { UnusedApprovals } from '../kit/unused-approvals.ts';

export async function resumePrompt(context: AgentContext, unused: UnusedApprovals) {
  const { due, ...prompt } = await resumption(context);
  // A changed action may name files that it was not bound to.
  for (const ask of due)
    if (ask.kind === 'approval' && !ask.answer?.updated_input) unused.addAnswered(ask, ask.request.diff);
  return prompt;
}

// What the scripted model calls again and again: Claude Code's tools, with the least that they need.

/** What Claude Code's AskUserQuestion is called with: each option is a label and its description. */
export const choice = (question: string, header: string, options: Record<string, string>) => ({
  question,
  header,
  multiSelect: false,
  options: Object.entries(options).map(([label, description]) => ({ label, description })),
});
const COLOUR = choice('Which colour?', 'Colour', { Red: 'r', Blue: 'b' });
/** The answer that chooses the second option. */
export const BLUE = { question_id: 'question-1', selected_option_ids: ['option-2'] };

export const asksColour = (id: string, question = COLOUR.question) => [
  { tool: 'AskUserQuestion', input: { questions: [{ ...COLOUR, question }] }, id },
];

export const callsAgent = (prompt: string, id: string) => ({
  tool: 'Agent',
  input: { description: 'help', prompt, subagent_type: 'general-purpose', run_in_background: false },
  id,
});

export const bash = (command: string, id: string, more: object = {}) => ({
  tool: 'Bash',
  input: { command, description: 'd', ...more },
  id,
});
export const touch = (name: string, id: string, more?: object) => bash(`touch ${name}`, id, more);

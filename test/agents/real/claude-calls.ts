// What the scripted model calls again and again: Claude Code's tools, with the least that they need.

/** What Claude Code's AskUserQuestion is called with, and the answer that chooses its second option. */
const COLOUR = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'r' },
    { label: 'Blue', description: 'b' },
  ],
};
export const BLUE = { question_id: 'question-1', selected_option_ids: ['option-2'] };

export const asksColour = (id: string, question = COLOUR.question) => [
  { tool: 'AskUserQuestion', input: { questions: [{ ...COLOUR, question }] }, id },
];

export const bash = (command: string, id: string, more: object = {}) => ({
  tool: 'Bash',
  input: { command, description: 'd', ...more },
  id,
});
export const touch = (name: string, id: string, more?: object) => bash(`touch ${name}`, id, more);

// Holds the rules that come before all others: an agent that changes the rules of its project is asked about it.
import { type Rule, sourced } from './rule.ts';
import { compileRules } from './rule-index.ts';

/** Write, MultiEdit, apply_patch, create_file, move_file… of any agent. */
const WRITING_TOOLS = ['*rite*', '*dit*', '*atch*', '*reate*', '*ove*', '*ename*', '*elete*', '*nsert*', '*eplace*'];
/** Where such tools name a file; a patch names it in its text. */
const PATHS = ['file_path', 'filePath', 'notebook_path', 'path', 'file', 'destination', 'target', 'patch', 'input'];
const OWN_FOLDER = '*.holdpoint/*';

const RULES = WRITING_TOOLS.flatMap((tool) =>
  PATHS.map((path): Rule => ({ tool, matches: { [path]: OWN_FOLDER }, action: 'ask' })),
);

export const BUILT_IN_RULES = compileRules(sourced('builtin', 'the built-in rules', RULES));

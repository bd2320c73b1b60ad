// Contains the instructions for asking that every headless program gets.

export const SENTINEL = '.agora/needs_input.json';

export const HOW_TO_ASK = `You run without a person at the terminal. When you cannot go on without a decision, a
preference or a fact that only a person has, do not guess and do not pick a default. Ask, like this:

1. Write one JSON file, with your file-writing tool, to \`${SENTINEL}\` in the workspace (the absolute path is in
   the environment variable \`AGORA_NEEDS_INPUT_PATH\`):

   \`\`\`json
   {
     "question": "One question, complete in itself.",
     "options": ["First choice", "Second choice"],
     "context": "What the person should know to answer; leave it out if the question says it all.",
     "partial_state": { "remaining_work": ["whatever you want to find again"] }
   }
   \`\`\`

   Only \`question\` is required. \`options\` are short texts; the person may also answer in their own words.
2. Stop there. End your turn and write nothing more. Your exit code does not matter: the file is the signal.
3. Later you are started again with the same task. Your input then has \`answer\` (what the person said) and the
   \`partial_state\` you wrote. It is JSON in the file named by \`AGORA_INPUT_FILE\`, and in \`AGORA_INPUT_JSON\`. Go on
   from there; you may ask again, one question at a time.

Put into \`partial_state\` whatever saves you from starting over. A good shape is
\`{"considered_options": [], "ruled_out": [{"option": "", "reason": ""}], "tentative_conclusions": {}, "remaining_work": []}\`.
It may have up to 1 MiB; of anything larger, keep a pointer. Nothing else is kept for you. Never ask for a password, a
key or another secret this way: the question and its answer are stored in a log that others can read.`;

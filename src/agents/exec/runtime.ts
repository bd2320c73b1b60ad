// Describes the runtime of any headless command, with instructions for asking in AGENTS.md, which most coding agents read.
import { HOW_TO_ASK, invokeCommand, type RuntimeAdapter, SENTINEL } from '../kit/runtime.ts';

const SKILLS = '.agora/skills';

export const plain: RuntimeAdapter = {
  name: 'exec',
  sentinel: SENTINEL,
  skills: SKILLS,
  recognises: () => true,
  overlay: (skills) => [
    {
      path: 'AGENTS.md',
      beside: true,
      content: `${skills.length > 0 ? skillsText(skills) : ''}## When you need a person's answer\n\n${HOW_TO_ASK}\n`,
    },
  ],
  invoke: invokeCommand,
};

/** No program looks into that folder by itself. */
const skillsText = (names: readonly string[]): string =>
  `## Skills\n\nRead what applies before you begin:\n\n${names.map((name) => `- \`${SKILLS}/${name}/SKILL.md\`\n`).join('')}\n`;

// The published client of OpenCode decides and answers, through the door, what the real Claude Code asks.
import { describe } from 'vitest';
import type { Plan, PlannedCall } from '../../conformance/agent.ts';
import { opencodeDoor } from '../../conformance/opencode-door.ts';
import { sdk } from '../../server/opencode/test-bed.ts';
import { timesRunIn } from '../planned-fixture.ts';
import { claude, claudeVersion } from './binaries.ts';
import { choice } from './claude-calls.ts';
import { testBedForAll } from './claude-test-bed.ts';

const testBed = testBedForAll();

const toolOf = (call: PlannedCall) =>
  'command' in call
    ? { tool: 'Bash', input: { command: call.command, description: 'append' }, id: call.id }
    : { tool: 'AskUserQuestion', input: { questions: call.questions.map(questionOf) }, id: call.id };
const questionOf = ({ question, options }: { question: string; options: string[] }) => ({
  ...choice(question, 'h', Object.fromEntries(options.map((label) => [label, label]))),
  multiSelect: false,
});

describe.skipIf(!claude)(`the OpenCode door with Claude Code ${claudeVersion}`, () => {
  opencodeDoor({
    client: () => sdk(testBed.server),
    async begin(plan: Plan) {
      testBed.model.play([...plan.map((calls) => calls.map(toolOf)), [{ text: 'Done.' }]]);
      const run = await testBed.start();
      return {
        sessionId: run.session_id,
        over: () => testBed.over(run),
        timesRun: async (name) => timesRunIn(run.folder, name),
        received: async () => testBed.model.told.at(-1) ?? '',
      };
    },
  });
});

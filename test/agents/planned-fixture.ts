// Fixtures for the conformance suite with stand-ins in the place of agents' programs, and for the mock agent, which has no
// program. A stand-in is found by the agent's own command in the PATH, so everything but the agent itself is real.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Step } from '../../src/agents/mock/input.ts';
import { type AgentFixture, appendTo, type Plan, type PreparedRun } from '../conformance/agent.ts';
import { root as project } from '../support/process.ts';

type Traits = Omit<AgentFixture, 'open' | 'prepare' | 'received' | 'timesRun' | 'settleItself' | 'close'>;

interface StandIn extends Traits {
  /** The agent's command, and the file that is run for it. */
  command: string;
  program: string;
  input: Record<string, unknown>;
  env?: Record<string, string>;
  settlesItself: boolean;
}

export function standInFixture({ command, program, input, env, settlesItself, ...traits }: StandIn): AgentFixture {
  const root = mkdtempSync(join(tmpdir(), `holdpoint-${command}-`));
  let made = 0;
  const fixture: AgentFixture = {
    ...traits,
    async open() {
      const bin = join(root, 'bin');
      mkdirSync(bin);
      writeFileSync(join(bin, command), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
      return { env: { ...env, PATH: [bin, process.env.PATH].join(delimiter), HOME: root } };
    },
    async prepare(plan) {
      made += 1;
      const folder = join(root, `work-${made}`);
      mkdirSync(folder);
      writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
      return { folder, input };
    },
    received: async (_, { folder = '' }) => textIn(folder, 'received.txt'),
    timesRun: async (name, _, { folder = '' }) => timesRunIn(folder, name),
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
  if (settlesItself) fixture.settleItself = (id, { folder = '' }) => writeFileSync(join(folder, `settle-${id}`), '');
  return fixture;
}

const support = (name: string): string => join(project, 'test', 'support', name);
const PROGRAM: Pick<StandIn, 'isParallel' | 'repeatsAfterCrash' | 'hasProcess' | 'settlesItself'> = {
  isParallel: true,
  repeatsAfterCrash: true,
  hasProcess: true,
  settlesItself: true,
};

/** Every agent that asks while it runs, by what it is called in a test. */
export const plannedAgents = (): Record<string, AgentFixture> => ({
  'the mock agent': mockFixture(),
  'Claude Code, played by a stand-in': standInFixture({
    ...PROGRAM,
    agent: 'claude',
    command: 'claude',
    program: support('planned-claude.mjs'),
    input: { text: 'go', hold: 'nothing' },
    repeatsAfterEdit: false,
    skipsQuestions: true,
  }),
  'Codex, played by a stand-in': standInFixture({
    ...PROGRAM,
    agent: 'codex',
    command: 'codex',
    program: support('planned-codex.mjs'),
    input: { text: 'go' },
    repeatsAfterEdit: true,
    skipsQuestions: false,
  }),
  'OpenCode, played by a stand-in': standInFixture({
    ...PROGRAM,
    agent: 'opencode',
    command: 'opencode',
    program: support('planned-opencode.mjs'),
    input: { text: 'go' },
    repeatsAfterEdit: true,
    skipsQuestions: true,
  }),
  'an ACP agent, played by a stand-in': standInFixture({
    ...PROGRAM,
    agent: 'acp',
    command: 'planned-acp',
    program: support('planned-acp.mjs'),
    input: { text: 'go', command: 'planned-acp' },
    repeatsAfterEdit: true,
    skipsQuestions: false,
  }),
});

export const timesRunIn = (folder: string, name: string): number =>
  textIn(folder, name)
    .split('\n')
    .filter((line) => line === 'ran').length;

const textIn = (folder: string, name: string): string =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';

/** The mock agent runs nothing: what it would run, and what it received, is in the outputs of its run. */
export function mockFixture(): AgentFixture {
  return {
    agent: 'mock',
    repliesToComments: true,
    isParallel: true,
    repeatsAfterCrash: false,
    repeatsAfterEdit: false,
    skipsQuestions: true,
    hasProcess: false,
    open: async () => ({ env: {} }),
    prepare: async (plan): Promise<PreparedRun> => ({ input: { script: scriptOf(plan) } }),
    received: async ({ outputs }) => outputs.map(({ text }) => text).join('\n'),
    async timesRun(name, { outputs }) {
      const allowed = `allowed ${JSON.stringify({ command: appendTo(name) })}`;
      return outputs.filter(({ text }) => text?.includes(allowed)).length;
    },
    close: async () => {},
  };
}

const scriptOf = (plan: Plan): Step[] =>
  plan.map((calls) => ({
    do: 'parallel',
    asks: calls.map((call) =>
      'command' in call
        ? { do: 'approve', id: call.id, tool_name: 'Bash', input: { command: call.command } }
        : {
            do: 'ask',
            id: call.id,
            questions: call.questions.map(({ question, options }) => ({
              question,
              required: false,
              options: options.map((label) => ({ label })),
            })),
          },
    ),
  }));

// The real Claude Code, Codex and OpenCode pass the conformance suite, two of them over ACP too: a scripted model makes their calls and tells what it received.
// Covers: src/agents/claude/side-questions.ts, src/agents/codex/side-questions.ts, src/agents/opencode/side-questions.ts, src/agents/acp/side-questions.ts, src/agents/kit/side-question.ts
// The ask that is settled at the agent's own prompt needs a person's terminal: claude-attached and codex-attached have it.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  type AgentFixture,
  agentConformance,
  appendTo,
  type Plan,
  type PlannedCall,
  TEMPTED,
} from '../../conformance/agent.ts';
import { timesRunIn } from '../planned-fixture.ts';
import { geminiEnvironment, qwenEnvironment, withClaudeAcp } from './acp-test-bed.ts';
import {
  claude,
  claudeAcp,
  claudeAcpVersion,
  claudeVersion,
  codex,
  codexVersion,
  gemini,
  geminiVersion,
  opencode,
  opencodeVersion,
  qwen,
  qwenVersion,
} from './binaries.ts';
import { claudeEnvironment } from './claude-test-bed.ts';
import { codexEnvironment, escalated } from './codex-test-bed.ts';
import { type Block, Model, type Step } from './model.ts';
import { OpenAiModel } from './model-openai.ts';
import { opencodeEnvironment } from './opencode-test-bed.ts';

function folders(name: string) {
  const root = mkdtempSync(join(tmpdir(), `holdpoint-${name}-`));
  let made = 0;
  return {
    root,
    next() {
      made += 1;
      const folder = join(root, `work-${made}`);
      mkdirSync(folder);
      return { folder, key: `task-${made}-of-${name}` };
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

const hasRun = (call: PlannedCall, folder: string): boolean =>
  'command' in call && timesRunIn(folder, call.command.replace(appendTo(''), '')) > 0;

/** Planned calls as the model makes them; `also` and `alsoRun` are what a question and a command of this agent have besides. */
const toolCalls =
  (shell: string, ask: string, also: object = {}, alsoRun: object = {}) =>
  (call: PlannedCall) =>
    'command' in call
      ? { tool: shell, input: { command: call.command, description: 'd', ...alsoRun }, id: call.id }
      : {
          tool: ask,
          input: { questions: call.questions.map((asked) => ({ ...asQuestion(asked), ...also })) },
          id: call.id,
        };

const asQuestion = ({ question, options }: { question: string; options: string[] }) => ({
  question,
  header: 'h',
  options: options.map((label) => ({ label, description: label })),
});

/** `acp`: over the adapter that speaks ACP. */
function claudeFixture(acp = false): AgentFixture {
  const { root, next, remove } = folders('claude');
  let model: Model;
  const toolOf = toolCalls('Bash', 'AskUserQuestion', { multiSelect: false });
  return {
    agent: acp ? 'acp' : 'claude',
    isParallel: false,
    repeatsAfterCrash: true,
    repeatsAfterEdit: acp,
    skipsQuestions: !acp,
    repliesToComments: true,
    hasProcess: true,
    async open() {
      mkdirSync(join(root, '.git'));
      model = await Model.start();
      const env = claudeEnvironment(join(root, 'home'), model.url);
      return { env: acp ? withClaudeAcp(root, env) : env };
    },
    async prepare(plan) {
      const { folder, key } = next();
      const [first = [], ...rest] = plan;
      // A process that is about to be killed may ask the model once more: only what has run moves the script on.
      let repeats = 0;
      const unfinished: Step = () => {
        const due = rest.find((calls) => calls.some((call) => !hasRun(call, folder)));
        repeats += 1;
        return due ? due.map((call) => toolOf({ ...call, id: `${call.id}_${repeats}` })) : [{ text: 'Done.' }];
      };
      model.play([first.map(toolOf), unfinished], key);
      model.actsOnComment = toolOf(TEMPTED);
      return { folder, input: { text: `Do this: ${key}`, ...(acp && { agent: 'claude' }) } };
    },
    received: async (_, { input }) => model.told.filter((told) => told.includes(String(input.text))).join('\n'),
    timesRun: async (name, _, { folder = '' }) => timesRunIn(folder, name),
    async close() {
      model.close();
      remove();
    },
  };
}

function codexFixture(): AgentFixture {
  const { root, next, remove } = folders('codex');
  let model: OpenAiModel;
  const toolOf = (call: PlannedCall) =>
    'command' in call
      ? { ...escalated(call.command), id: call.id }
      : { call: 'ask_user', input: { questions: call.questions.map(questionOf) }, id: call.id };
  const questionOf = ({ question, options }: { question: string; options: string[] }) => ({
    question,
    options: options.map((label) => ({ label })),
  });
  return {
    agent: 'codex',
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: true,
    skipsQuestions: false,
    repliesToComments: true,
    hasProcess: true,
    async open() {
      model = await OpenAiModel.start();
      return { env: codexEnvironment(root, model.url, '') };
    },
    async prepare(plan: Plan) {
      const { folder, key } = next();
      model.play(key, [...plan.map((calls) => calls.map(toolOf)), [{ text: 'Done.' }]]);
      model.actsOnComment = toolOf(TEMPTED);
      return {
        folder,
        input: { text: `Do this: ${key}`, sandbox: 'workspace-write', approval_policy: 'on-request' },
      };
    },
    received: async (_, { input }) => JSON.stringify(model.told(String(input.text).replace('Do this: ', ''))),
    timesRun: async (name, _, { folder = '' }) => timesRunIn(folder, name),
    async close() {
      model.close();
      remove();
    },
  };
}

interface Scripted extends Omit<Partial<AgentFixture>, 'isParallel'> {
  isParallel: boolean;
  name: string;
  input?: Record<string, unknown>;
  toolOf(call: PlannedCall): Block;
  environment(root: string, modelUrl: string): Record<string, string>;
}

/** An agent whose model makes the planned calls, message by message. */
function scriptedFixture({ name, input = {}, toolOf, environment, ...traits }: Scripted): AgentFixture {
  const { root, next, remove } = folders(name);
  let model: Model;
  return {
    agent: 'acp',
    repeatsAfterCrash: true,
    repeatsAfterEdit: true,
    skipsQuestions: true,
    hasProcess: true,
    ...traits,
    async open() {
      model = await Model.start();
      return { env: environment(root, model.url) };
    },
    async prepare(plan) {
      const { folder, key } = next();
      model.play([...plan.map((calls) => calls.map(toolOf)), [{ text: 'Done.' }]], key);
      model.actsOnComment = toolOf(TEMPTED);
      return { folder, input: { text: `Do this: ${key}`, ...input } };
    },
    received: async (_, { input }) => model.told.filter((told) => told.includes(String(input.text))).join('\n'),
    timesRun: async (name, _, { folder = '' }) => timesRunIn(folder, name),
    async close() {
      model.close();
      remove();
    },
  };
}

const opencodeCalls = toolCalls('bash', 'question');
const opencodeFixture = (): AgentFixture =>
  scriptedFixture({
    name: 'opencode',
    agent: 'opencode',
    repliesToComments: true,
    isParallel: true,
    toolOf: opencodeCalls,
    environment: opencodeEnvironment,
  });

/** Over its own ACP command, which has no tool for questions. */
const opencodeAcpFixture = (): AgentFixture =>
  scriptedFixture({
    name: 'opencode-acp',
    input: { agent: 'opencode' },
    asksNoQuestions: true,
    deniesTheRest: true,
    repliesToComments: true,
    isParallel: false,
    toolOf: opencodeCalls,
    environment: (root, url) => opencodeEnvironment(root, url, { permission: { bash: 'ask' } }),
  });

const geminiFixture = (): AgentFixture =>
  scriptedFixture({
    name: 'gemini',
    input: { agent: 'gemini' },
    repliesToComments: false,
    asksNoQuestions: true,
    isParallel: false,
    toolOf: toolCalls('run_shell_command', ''),
    environment: geminiEnvironment,
  });

const qwenFixture = (): AgentFixture =>
  scriptedFixture({
    name: 'qwen',
    input: { agent: 'qwen' },
    repliesToComments: false,
    deniesTheRest: true,
    isParallel: false,
    toolOf: toolCalls('run_shell_command', 'ask_user_question', { multiSelect: false }, { is_background: false }),
    environment: qwenEnvironment,
  });

describe.skipIf(!claude)('real', () => agentConformance(`Claude Code ${claudeVersion}`, claudeFixture()));
describe.skipIf(!codex)('real', () => agentConformance(`Codex ${codexVersion}`, codexFixture()));
describe.skipIf(!opencode)('real', () => agentConformance(`OpenCode ${opencodeVersion}`, opencodeFixture()));
describe.skipIf(!claudeAcp)('real', () =>
  agentConformance(`Claude Code over ACP ${claudeAcpVersion}`, claudeFixture(true)),
);
describe.skipIf(!opencode)('real', () =>
  agentConformance(`OpenCode over ACP ${opencodeVersion}`, opencodeAcpFixture()),
);
describe.skipIf(!gemini)('real', () => agentConformance(`Gemini CLI over ACP ${geminiVersion}`, geminiFixture()));
describe.skipIf(!qwen)('real', () => agentConformance(`Qwen Code over ACP ${qwenVersion}`, qwenFixture()));

// Every agent of this build passes the conformance suite; agents that are programs, with a stand-in for the program.
import { join } from 'node:path';
import { agentConformance } from '../conformance/agent.ts';
import { root } from '../support/process.ts';
import { mockFixture, standInFixture } from './planned-fixture.ts';

const support = (name: string): string => join(root, 'test', 'support', name);

agentConformance('the mock agent', mockFixture());

agentConformance(
  'Claude Code, played by a stand-in',
  standInFixture({
    agent: 'claude',
    command: 'claude',
    program: support('planned-claude.mjs'),
    input: { text: 'go', hold: 'nothing' },
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: false,
    skipsQuestions: true,
    hasProcess: true,
    settlesItself: true,
  }),
);

agentConformance(
  'Codex, played by a stand-in',
  standInFixture({
    agent: 'codex',
    command: 'codex',
    program: support('planned-codex.mjs'),
    input: { text: 'go' },
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: true,
    skipsQuestions: false,
    hasProcess: true,
    settlesItself: true,
  }),
);

agentConformance(
  'OpenCode, played by a stand-in',
  standInFixture({
    agent: 'opencode',
    command: 'opencode',
    program: support('planned-opencode.mjs'),
    input: { text: 'go' },
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: true,
    skipsQuestions: true,
    hasProcess: true,
    settlesItself: true,
  }),
);

agentConformance(
  'an ACP agent, played by a stand-in',
  standInFixture({
    agent: 'acp',
    command: 'planned-acp',
    program: support('planned-acp.mjs'),
    input: { text: 'go', command: 'planned-acp' },
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: true,
    skipsQuestions: false,
    hasProcess: true,
    settlesItself: true,
  }),
);

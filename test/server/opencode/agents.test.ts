// The door with agents at work: the mock agent, and a managed Claude Code played by a stand-in. The real one is in
// test/agents/real/opencode-door.test.ts.
// Covers: src/server/opencode/
import { afterAll, beforeAll, describe } from 'vitest';
import type { Agent } from '../../../src/agents/agent.ts';
import { claude } from '../../../src/agents/claude/agent.ts';
import { mock } from '../../../src/agents/mock/agent.ts';
import { mockFixture, standInFixture } from '../../agents/planned-fixture.ts';
import type { AgentFixture, Plan } from '../../conformance/agent.ts';
import { opencodeDoor } from '../../conformance/opencode-door.ts';
import { root } from '../../support/process.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { TestBed } from '../../support/test-bed.ts';
import { sdk } from './test-bed.ts';

function doorOf(title: string, agent: Agent, fixture: AgentFixture): void {
  describe(title, () => {
    const server = serverForAll();
    const before: [name: string, value: string | undefined][] = [];
    let bed: TestBed;
    beforeAll(async () => {
      const { env } = await fixture.open();
      before.push(...Object.keys(env).map((name): (typeof before)[number] => [name, process.env[name]]));
      Object.assign(process.env, env);
      bed = new TestBed(await server.url(), server.token);
      await bed.worker({ agents: [agent] });
    });
    afterAll(async () => {
      await bed.close();
      await fixture.close();
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });

    opencodeDoor({
      client: () => sdk(server),
      async begin(plan: Plan) {
        const prepared = await fixture.prepare(plan);
        const folder = prepared.folder && { work_folder: prepared.folder };
        const { session_id } = await bed.api.sessions.create({ agent: agent.name, ...folder });
        const { run_id } = await bed.api.runs.start(session_id, { input: prepared.input });
        return {
          sessionId: session_id,
          over: () => bed.over(run_id),
          timesRun: async (name) => fixture.timesRun(name, await bed.api.runs.get(run_id), prepared),
          received: async () => fixture.received(await bed.api.runs.get(run_id), prepared),
        };
      },
    });
  });
}

doorOf('the mock agent', mock, mockFixture());

doorOf(
  'Claude Code, played by a stand-in',
  claude,
  standInFixture({
    agent: 'claude',
    command: 'claude',
    program: `${root}/test/support/planned-claude.mjs`,
    input: { text: 'go', hold: 'nothing' },
    isParallel: true,
    repeatsAfterCrash: true,
    repeatsAfterEdit: false,
    skipsQuestions: true,
    hasProcess: true,
    settlesItself: false,
  }),
);

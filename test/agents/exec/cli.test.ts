// `holdpoint run exec -- <command…>`: the command runs in the folder where it was typed, asks, and continues when it is
// answered from the command line.
// Covers: src/agents/exec/run.ts, src/cli/commands/run.ts, src/node/umask.ts
import { afterAll, expect, it } from 'vitest';
import { endEverything, spawnHoldpoint, startHoldpoint, temporaryFolder } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { asks, exitOf } from './test-bed.ts';

afterAll(endEverything);

it('runs a command as it was typed, with the umask of the user, and prints how it ended', async () => {
  const server = await startHoldpoint({ via: 'main' });
  const env = { HOLDPOINT_URL: server.url, HOLDPOINT_TOKEN: server.token };
  const folder = temporaryFolder();
  const holdpoint = async (...command: string[]) => {
    const started = spawnHoldpoint({ command, env, data: folder, via: 'main' });
    const { code } = await started.exited;
    return { code, out: started.stdout() };
  };
  const said = await holdpoint(
    'run',
    'exec',
    '--wait',
    '--json',
    '--',
    'sh',
    '-c',
    'pwd; echo "$0" "$@"',
    '--json',
    '-x',
  );
  expect(said.code).toBe(0);
  expect(exitOf(JSON.parse(said.out))?.stdout).toBe(`${folder}\n--json -x\n`);
  expect((await holdpoint('run', 'exec', '--wait', '--', 'false')).code).not.toBe(0);

  const surroundings = 'umask; echo "$TASK_API_DOMAIN"';
  const told = await holdpoint('run', 'exec', '--wait', '--json', '--', 'sh', '-c', surroundings);
  const own = process.umask().toString(8).padStart(4, '0');
  expect(exitOf(JSON.parse(told.out))?.stdout).toBe(`${own}\n${server.url}\n`);

  const script = `case $AGORA_INPUT_JSON in *'"answer"'*) exit 0;; esac; ${asks({ question: 'Go on?' })}`;
  const asking = await holdpoint('run', 'exec', '--wait', '--json', '--', 'sh', '-c', script);
  const held = JSON.parse(asking.out);
  expect(held.status).toBe('waiting_for_user_question');
  const bed = new TestBed(server.url, server.token);
  const [ask] = await bed.pending(held.session_id);
  if (ask) await bed.answer(ask, { question_id: 'question-1', freeform_answer: 'yes' });
  expect((await bed.carriedOn(held)).status).toBe('completed');
  await server.end('SIGTERM');
});

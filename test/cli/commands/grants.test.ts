// `holdpoint grants` and `approvals allow --always` as processes against a real server.
// Covers: src/cli/commands/grants.ts, src/cli/always-flags.ts
import { describe, expect, it } from 'vitest';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll();

describe('grants', PATIENT, () => {
  it('are previewed, given with always, listed, explained and revoked', async () => {
    const work = await bed.work('granted');
    const ask = await work.approval('first', { input: { command: 'git push origin' } });
    const preview = await bed.run(['grants', 'preview', ask.ask_id, '--match', 'git push *']);
    expect(preview.stdout).toMatch(/^would allow Bash \{"command":\["git push \*"\]\}\n/);
    expect(preview.stdout).toMatch(/it would have allowed in this session:\n {2}1 × {2}git push origin\n/);
    const refused = await bed.run(['grants', 'preview', ask.ask_id, '--match', '*']);
    expect(refused.stdout).toMatch(/^would be refused/);
    expect((await bed.run(['approvals', 'allow', ask.ask_id, '--match', 'git *'])).code).toBe(2);
    const given = ['approvals', 'allow', ask.ask_id, '--always', '--match', 'git push *', '--uses', '2'];
    expect((await bed.run(given)).code).toBe(0);
    const passed = await work.approval('second', { input: { command: 'git push upstream' } });
    expect(passed).toMatchObject({ status: 'answered', answer: { behavior: 'allow' } });
    const explained = await bed.run(['rules', 'explain', passed.ask_id]);
    expect(explained.stdout).toMatch(
      /^when raised {2}allowed by grant:grt_\w+: grant grt_\w+ .*\nnow +would be allowed: grant/,
    );
    const listed = await bed.run(['grants', 'list', '--session-id', 'granted']);
    expect(listed.stdout).toMatch(
      /grt_\w+ +session +used 1 of 2 +operator +granted +Bash \{"command":\["git push \*"\]\}/,
    );
    const [{ grant_id }] = JSON.parse((await bed.run(['grants', 'list', '--json'])).stdout);
    expect((await bed.run(['grants', 'revoke', grant_id.slice(-8)])).stdout).toContain('is revoked');
    expect((await bed.run(['grants', 'list'])).stdout).not.toContain(grant_id);
    expect((await bed.run(['grants', 'list', '--all'])).stdout).toContain(grant_id);
    const third = await work.approval('third', { input: { command: 'git push upstream' } });
    expect(third.status).toBe('pending');
    expect((await bed.run(['rules', 'explain', third.ask_id])).stdout).toMatch(
      /^when raised {2}no rule applied, so people were asked\nnow +people would be asked: /,
    );
  });

  it('of a session are revoked together', async () => {
    const work = await bed.work('several');
    for (const file_path of ['/srv/a', '/srv/b']) {
      const ask = await work.approval(file_path, { tool_name: 'Write', input: { file_path, content: 'x' } });
      const match = `file_path=${file_path}`;
      expect((await bed.run(['approvals', 'allow', ask.ask_id, '--always', '--match', match])).code).toBe(0);
    }
    const revoked = await bed.run(['grants', 'revoke', '--session-id', 'several', '--json']);
    expect(JSON.parse(revoked.stdout)).toMatchObject([{ is_usable: false }, { is_usable: false }]);
    expect((await bed.run(['grants', 'revoke'])).code).toBe(2);
    expect((await bed.run(['grants', 'revoke', 'grt_none'])).code).toBe(3);
  });
});

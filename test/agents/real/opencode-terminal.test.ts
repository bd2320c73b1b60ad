// The terminal client of the real OpenCode, attached to the door: it shows what another agent asks, before it came and
// after, and what the person chooses there is the decision.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { held, raiseApproval, raiseQuestion, showAsk } from '../../support/api-calls.ts';
import { endTerminals, hasPty, KEYS, openPty } from '../../support/pty.ts';
import { serverForAll } from '../../support/shared-fixtures.ts';
import { opencode, opencodeVersion } from './binaries.ts';
import { opencodeEnvironment } from './opencode-test-bed.ts';

const server = serverForAll();
const root = mkdtempSync(join(tmpdir(), 'holdpoint-opencode-terminal-'));
afterAll(() => {
  endTerminals();
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
});

const answerOf = async (askId: string) => (await showAsk(server, askId)).answer;

describe.skipIf(!opencode || !hasPty)(`the terminal client of OpenCode ${opencodeVersion}`, () => {
  it('shows and decides commands, changes of files, other tools and questions', async () => {
    const h = await held(server, { kind: 'approval', input: { command: 'make deploy' } }, { work_folder: root });
    const terminal = openPty({
      command: [opencode ?? '', 'attach', `${await server.url()}/opencode`, '--session', h.sessionId],
      env: { ...opencodeEnvironment(root, 'http://127.0.0.1:9'), OPENCODE_SERVER_PASSWORD: server.token },
      columns: 120,
      rows: 40,
      cwd: root,
    });
    await terminal.shows('Permission required');
    await terminal.shows(/\$ make deploy/);
    terminal.type(KEYS.enter);
    await expect.poll(() => answerOf(h.ask.ask_id)).toMatchObject({ behavior: 'allow', surface: 'opencode' });

    const diff = '--- a.ts\n+++ a.ts\n@@ -1,1 +1,1 @@\n-const a = 1;\n+const a = 2;\n';
    const edit = await raiseApproval(server, h.runId, {
      tool_name: 'Edit',
      input: { file_path: `${root}/a.ts` },
      diff,
    });
    await terminal.shows('Edit a.ts');
    await terminal.shows('const a = 2;');
    terminal.type(KEYS.escape);
    await expect.poll(() => answerOf(edit.ask_id)).toMatchObject({ behavior: 'deny', surface: 'opencode' });

    const send = await raiseApproval(server, h.runId, {
      tool_name: 'Send',
      input: { to: 'all', mail: { body: 'hello' } },
    });
    await terminal.shows('Call tool Send');
    await terminal.shows('mail={"body":"hello"}');
    terminal.type(KEYS.enter);
    await expect.poll(() => answerOf(send.ask_id)).toMatchObject({ behavior: 'allow' });

    const question = await raiseQuestion(server, h.runId, { context: 'For the new cluster.' });
    await terminal.shows('Which provider?');
    await terminal.shows('For the new cluster.');
    terminal.type(KEYS.down);
    await terminal.shows('Local');
    terminal.type(KEYS.enter);
    await expect
      .poll(() => answerOf(question.ask_id))
      .toMatchObject({ answers: [{ question_id: 'routing', selected_option_ids: ['local'] }] });
    await terminal.end();
  });
});

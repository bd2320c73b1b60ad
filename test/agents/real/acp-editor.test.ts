// The real Claude Code in an editor that speaks ACP, through `holdpoint acp`: answered once in the editor, and once by clicks on
// the page in a real browser. Whoever is second finds it settled. Claude Code is connected as well, and asks nothing twice.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { describeInBrowser, useTestBed } from '../../browser/test-bed.ts';
import { spawnHoldpoint } from '../../support/process.ts';
import { nothingLeftIn } from '../../support/process-table.ts';
import { closeEditor, type Editor, openEditor } from '../acp/editor-test-bed.ts';
import { withClaudeAcp } from './acp-test-bed.ts';
import { claudeAcp, claudeAcpVersion } from './binaries.ts';
import { claudeEnvironment } from './claude-test-bed.ts';
import { Model } from './model.ts';

describeInBrowser('an editor', () => {
  describe.skipIf(!claudeAcp)(`with Claude Code over ACP ${claudeAcpVersion}`, () => {
    const testBed = useTestBed({ args: ['--no-worker'] });
    const root = mkdtempSync(join(tmpdir(), 'holdpoint-editor-'));
    let model: Model;
    let editor: Editor | undefined;

    beforeAll(async () => {
      mkdirSync(join(root, '.git'));
      model = await Model.start();
      const { url, token, data } = testBed.server;
      const { CLAUDE_CONFIG_DIR = '' } = claudeEnvironment(join(root, 'home'), model.url);
      const env = { CLAUDE_CONFIG_DIR, HOLDPOINT_URL: url, HOLDPOINT_TOKEN: token };
      const connect = spawnHoldpoint({ command: ['connect', 'claude', '--yes'], via: 'main', data, env });
      expect(await connect.exited, connect.stderr()).toMatchObject({ code: 0 });
    });
    afterEach(async () => {
      if (editor) await closeEditor(editor.child);
      const asks = (await testBed.client.asks.list({})).items;
      expect(asks.filter(({ session_id }) => !session_id.startsWith('acp-own-'))).toEqual([]);
    });
    afterAll(async () => {
      model.close();
      await nothingLeftIn(root);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    });

    function edit(key: string, ...commands: string[]) {
      const folder = join(root, key);
      mkdirSync(folder);
      const calls = commands.map((command, i) => [
        { tool: 'Bash', id: `call_${key}_${i}`, input: { command, description: 'd' } },
      ]);
      model.play([...calls, [{ text: 'Done.' }]], key);
      const { url, data } = testBed.server;
      const env = withClaudeAcp(root, claudeEnvironment(join(root, 'home'), model.url));
      editor = openEditor({
        argv: ['claude-agent-acp'],
        folder,
        url,
        env: { ...env, HOLDPOINT_DATA: data },
        prompt: `Do this: ${key}`,
      });
      return { ...editor, has: (name: string) => existsSync(join(folder, name)) };
    }

    /** The only pending ask, for this command. */
    async function asked(command: string): Promise<AskView> {
      const pending = async () => (await testBed.client.asks.list({ status: 'pending' })).items;
      const matching = { request: { tool_name: 'Bash', input: { command } } };
      await expect.poll(pending).toMatchObject([matching]);
      return (await pending())[0] as AskView;
    }

    /** Clicks until it is decided: a click in the moment in which the card appears is ignored. */
    async function click(page: Page, { ask_id }: AskView, ...names: string[]): Promise<void> {
      await page.goto(`/asks/${ask_id}`);
      for (const name of names.slice(0, -1)) await page.getByRole('button', { name, exact: true }).click();
      await expect
        .poll(async () => {
          const last = page.getByRole('button', { name: names.at(-1) ?? '', exact: true });
          await last.click({ timeout: 1000 }).catch(() => {});
          return (await testBed.client.asks.get(ask_id)).status;
        })
        .toBe('answered');
    }

    it('acts on clicks on the page, and the prompt of the editor ends: what is chosen there later changes nothing', async () => {
      const { shown, promptEnded, choose, turn, has, child } = edit('on-the-page', 'touch made', 'touch other');
      const { page } = await testBed.signedIn('lead');
      await shown;
      const first = await asked('touch made');
      await click(page, first, 'Allow once');
      await promptEnded;
      const second = await asked('touch other');
      expect(has('made')).toBe(true);
      await page.goto(`/asks/${first.ask_id}`);
      await page.getByText('Delivered', { exact: true }).waitFor();
      await click(page, second, 'Deny');
      expect(await turn).toMatchObject({ stopReason: 'end_turn' });
      await choose('allow_once');
      expect(has('other')).toBe(false);
      expect(model.told.at(-1)).toContain('User refused permission to run tool');
      await closeEditor(child);
      for (const { ask_id } of [first, second])
        expect(await testBed.client.asks.get(ask_id)).toMatchObject({
          status: 'answered',
          answer: { surface: 'web', answered_by: 'lead' },
          delivery: { state: 'delivered' },
        });
    });

    it('acts on the choice in the editor, and the card on the page settles', async () => {
      const { shown, choose, turn, has, child } = edit('in-the-editor', 'touch made');
      const { page } = await testBed.signedIn('mate');
      await shown;
      const { ask_id } = await asked('touch made');
      await page.goto(`/asks/${ask_id}`);
      await page.getByRole('button', { name: 'Allow once', exact: true }).waitFor();
      await choose('allow_once');
      const end = page.getByRole('region', { name: 'How it ended' });
      await end.getByText('Withdrawn by its agent: answered in the editor').waitFor();
      expect(await page.getByRole('button', { name: 'Allow once', exact: true }).count()).toBe(0);
      expect(await turn).toMatchObject({ stopReason: 'end_turn' });
      expect(has('made')).toBe(true);
      await closeEditor(child);
      expect(await testBed.client.asks.get(ask_id)).toMatchObject({ status: 'cancelled' });
    });
  });
});

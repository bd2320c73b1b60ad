// The real Claude Code in an editor that speaks ACP, through `holdpoint acp`: answered once from the editor, and once from here.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AskView } from '../../../src/core/views.ts';
import { endEverything, type Holdpoint, startHoldpoint } from '../../support/process.ts';
import { TestBed } from '../../support/test-bed.ts';
import { closeEditor, type Editor, openEditor } from '../acp/editor-test-bed.ts';
import { withClaudeAcp } from './acp-test-bed.ts';
import { claudeAcp, claudeAcpVersion } from './binaries.ts';
import { claudeEnvironment } from './claude-test-bed.ts';
import { nothingLeftIn } from './codex-test-bed.ts';
import { Model } from './model.ts';

describe.skipIf(!claudeAcp)(`Claude Code over ACP ${claudeAcpVersion}, in an editor`, () => {
  const root = mkdtempSync(join(tmpdir(), 'holdpoint-editor-'));
  let server: Holdpoint;
  let bed: TestBed;
  let model: Model;
  let editor: Editor | undefined;

  beforeAll(async () => {
    mkdirSync(join(root, '.git'));
    model = await Model.start();
    server = await startHoldpoint({ via: 'main', args: ['--no-worker'] });
    bed = new TestBed(server.url, server.token);
  });
  afterAll(async () => {
    await endEverything();
    model.close();
    await nothingLeftIn(root);
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  function edit(key: string) {
    const folder = join(root, key);
    mkdirSync(folder);
    const call = { tool: 'Bash', id: `call_${key}`, input: { command: 'touch made', description: 'd' } };
    model.play([[call], [{ text: 'Done.' }]], key);
    const env = withClaudeAcp(root, claudeEnvironment(join(root, 'home'), model.url));
    editor = openEditor({
      argv: ['claude-agent-acp'],
      folder,
      url: server.url,
      env: { ...env, HOLDPOINT_DATA: server.data },
      prompt: `Do this: ${key}`,
    });
    const oneAsk = () =>
      bed.until(async () => (await bed.api.asks.list({ status: 'pending' })).items[0]) as Promise<AskView>;
    return { ...editor, oneAsk, made: () => existsSync(join(folder, 'made')) };
  }

  it('acts on the answer of the editor, and the ask is withdrawn', async () => {
    const { shown, oneAsk, choose, turn, made, child } = edit('in-editor');
    await shown;
    const { ask_id, request } = await oneAsk();
    expect(request).toMatchObject({ tool_name: 'Bash', input: { command: 'touch made' } });
    await choose('allow_once');
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(made()).toBe(true);
    await closeEditor(child);
    expect(await bed.api.asks.get(ask_id)).toMatchObject({ status: 'cancelled' });
  });

  it('acts on the answer from here, and the prompt of the editor ends', async () => {
    const { shown, oneAsk, turn, promptEnded, made, child } = edit('from-here');
    await shown;
    const ask = await oneAsk();
    await bed.decide(ask, { behavior: 'deny' });
    await promptEnded;
    expect(await turn).toMatchObject({ stopReason: 'end_turn' });
    expect(made()).toBe(false);
    expect(model.told.at(-1)).toContain('User refused permission to run tool');
    await closeEditor(child);
    expect(await bed.api.asks.get(ask.ask_id)).toMatchObject({ status: 'answered', delivery: { state: 'delivered' } });
  });
});

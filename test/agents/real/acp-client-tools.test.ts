// The real Gemini CLI and Qwen Code use the files of their client where it offers them: each request is served or refused as the
// rules of the session say, or by a person. In a mode in which they do not ask for edits, nothing but that decides. Gemini CLI
// reads files by itself, except those that it is about to write, and tells its model no reason of its client.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acp } from '../../../src/agents/acp/agent.ts';
import type { Rule } from '../../../src/core/rule.ts';
import { geminiEnvironment, qwenEnvironment } from './acp-test-bed.ts';
import { gemini, geminiVersion, qwen, qwenVersion } from './binaries.ts';
import { HostedTestBed } from './hosted-test-bed.ts';
import { Model } from './model.ts';

class ClientToolsTestBed extends HostedTestBed<Model> {
  async open(environment: typeof geminiEnvironment): Promise<void> {
    const model = await Model.start();
    await this.host(acp, model, environment(this.root, model.url));
  }
}

const RULES: Rule[] = [
  { tool: 'Read', action: 'reject', matches: { file_path: '*/secret.txt' } },
  { tool: 'Read', action: 'allow' },
  { tool: 'Write', action: 'allow', matches: { file_path: '*/good.txt' } },
  { tool: 'Write', action: 'reject', matches: { file_path: '*/bad.txt' } },
];

describe.each([
  {
    title: `Gemini CLI ${geminiVersion}`,
    agent: 'gemini',
    mode: 'autoEdit',
    binary: gemini,
    env: geminiEnvironment,
    reads: [],
    isTold: [],
  },
  {
    title: `Qwen Code ${qwenVersion}`,
    agent: 'qwen',
    mode: 'auto-edit',
    binary: qwen,
    env: qwenEnvironment,
    reads: ['secret.txt', 'plain.txt'],
    isTold: ['an open word', 'It was not allowed: not that one'],
  },
])('$title', ({ agent, mode, binary, env, reads, isTold }) => {
  const testBed = new ClientToolsTestBed(agent);
  beforeAll(() => binary && testBed.open(env));
  afterAll(() => binary && testBed.close());

  it.skipIf(!binary)('reads and writes through its client, as the rules say', async () => {
    const folder = testBed.folder({ 'secret.txt': 'a hidden word', 'plain.txt': 'an open word' });
    const read = (name: string) => [{ tool: 'read_file', input: { file_path: join(folder, name) } }];
    const write = (name: string) => [{ tool: 'write_file', input: { file_path: join(folder, name), content: name } }];
    const calls = [...reads.map(read), ...['good.txt', 'bad.txt', 'asked.txt'].map(write)];
    testBed.model.play([...calls, [{ text: 'Done.' }]]);
    const { api } = testBed.bed;
    const session = await api.sessions.create({ agent: 'acp', work_folder: folder, rules: RULES });
    const run = await api.runs.start(session.session_id, { input: { text: 'go', agent, mode } });
    const [asked] = await testBed.asks(run, 1);
    if (asked?.kind !== 'approval') throw new Error('nothing is asked');
    expect(asked.request).toMatchObject({ tool_name: 'Write', diff: expect.stringContaining('+asked.txt') });
    await testBed.bed.decide(asked, { behavior: 'deny', reason: 'not that one' });
    expect(await testBed.over(run)).toMatchObject({ status: 'completed' });
    const told = testBed.model.told.join('\n');
    expect(told).not.toContain('a hidden word');
    for (const text of isTold) expect(told).toContain(text);
    expect(readFileSync(join(folder, 'good.txt'), 'utf8')).toBe('good.txt');
    expect(['bad.txt', 'asked.txt'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
  });
});

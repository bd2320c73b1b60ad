// A program of an exec run that shows a form through the MCP endpoint: the next run starts the same command with the answer.
// Covers: src/agents/exec/run.ts
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExecTestBed } from './test-bed.ts';

let d: ExecTestBed;
beforeAll(async () => {
  d = await ExecTestBed.open();
});
afterAll(() => d.close());

/** Shows a form unless it was given an answer, and exits with the code it is given. */
const PROGRAM = `
const { HOLDPOINT_URL, HOLDPOINT_TOKEN, AGORA_INPUT_JSON } = process.env;
const input = JSON.parse(AGORA_INPUT_JSON);
require('node:fs').appendFileSync('inputs', JSON.stringify(input) + '\\n');
if (input.interactive_form_answer) process.exit(0);
const call = {
  jsonrpc: '2.0', id: 1, method: 'tools/call',
  params: { name: 'interactive_form_question', arguments: { questions: [{ id: 'where', question: 'Where to?', options: ['staging', 'production'] }] } },
};
const headers = {
  authorization: 'Bearer ' + HOLDPOINT_TOKEN, 'content-type': 'application/json',
  accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18',
};
fetch(HOLDPOINT_URL + '/mcp', { method: 'POST', headers, body: JSON.stringify(call) })
  .then((response) => response.text())
  .then((text) => { console.log(text); process.exit(Number(process.argv[2])); });
`;

describe('a form shown by a program', () => {
  it.each([0, 1])('starts the program again with the answer when it exited with %i', async (code) => {
    const folder = d.workspace();
    writeFileSync(join(folder, 'program.cjs'), PROGRAM);
    const run = await d.start(folder, {
      command: [process.execPath, 'program.cjs', `${code}`],
      data: { task: 'release' },
    });
    const hasLeft = () => existsSync(join(folder, 'inputs')) && !existsSync(join(folder, '.agora'));
    await d.bed.until(async () => hasLeft() || undefined);
    expect((await d.bed.api.runs.get(run.run_id)).status).toBe('waiting_for_user_question');
    const form = await d.question(run);
    const next = await d.bed.answer(form, { question_id: 'where', selected_option_ids: ['option-1'] });
    expect((await d.over(next)).status).toBe('completed');
    expect((await d.bed.api.asks.get(form.ask_id)).delivery.state).toBe('delivered');
    const [first, second, ...more] = readFileSync(join(folder, 'inputs'), 'utf8').trim().split('\n');
    expect(JSON.parse(first ?? '')).toEqual({ task: 'release' });
    expect(JSON.parse(second ?? '')).toMatchObject({
      task: 'release',
      interactive_form_answer: { status: 'answered', answers: { where: 'staging' } },
    });
    expect(more).toEqual([]);
  });
});

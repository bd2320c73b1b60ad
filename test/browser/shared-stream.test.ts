// Tests that many tabs of one browser share one event stream.
// Covers: web/src/hooks/inbox-stream.ts, web/src/hooks/shared-stream.ts
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('the shared event stream', () => {
  const testBed = useTestBed();

  it('feeds eight tabs from one stream, also after the tab that held it is closed', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'x' } });
    const raise = (id: string) =>
      testBed.client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: id,
        tool_name: 'Bash',
        input: { command: id },
      });
    const { page: first, context } = await testBed.signedIn('lead');
    let streams = 0;
    context.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') streams += 1;
    });
    await first.getByText('All clear').waitFor();
    const others = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    await Promise.all(others.map((page) => page.goto('/').then(() => page.getByText('Live').waitFor())));
    // The first tab may have opened its stream before the counter was installed.
    expect(streams).toBeLessThanOrEqual(1);
    await raise('one');
    for (const page of [first, ...others]) await expect.poll(() => page.title()).toBe('(1) Holdpoint');

    await first.close();
    await raise('two');
    for (const page of others) await expect.poll(() => page.title()).toBe('(2) Holdpoint');
    expect(streams).toBeLessThanOrEqual(2);

    const [last] = others;
    await last?.getByRole('button', { name: 'Allow once', exact: true }).click();
    for (const page of others) await expect.poll(() => page.title()).toBe('(1) Holdpoint');
  });
});

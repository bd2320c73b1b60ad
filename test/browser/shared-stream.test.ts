// Many tabs of one browser: they share one stream, all of them live, whichever is closed.
import { expect, it } from 'vitest';
import { describeInBrowser, useTestBed } from './test-bed.ts';

describeInBrowser('eight tabs', () => {
  const testBed = useTestBed();

  it('follow one stream, and go on when the tab that held it is closed', async () => {
    const { session_id } = await testBed.client.sessions.create({ agent: 'external' });
    const { run_id } = await testBed.client.runs.start(session_id, { input: { text: 'x' } });
    const raise = (id: string) =>
      testBed.client.asks.raise(run_id, {
        kind: 'approval',
        tool_call_id: id,
        tool_name: 'Bash',
        input: { command: id },
      });
    const { page: first, context } = await testBed.person('lead');
    let streams = 0;
    context.on('request', (request) => {
      if (request.headers().accept === 'text/event-stream') streams += 1;
    });
    await first.getByText('all clear').waitFor();
    const others = await Promise.all(Array.from({ length: 7 }, () => context.newPage()));
    await Promise.all(others.map((page) => page.goto('/').then(() => page.getByText('Live').waitFor())));
    // The first tab's own may have been opened before it was counted.
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

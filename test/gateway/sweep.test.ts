// The sweep when it cannot do its work: it reports the failure, waits and tries again, without a busy loop.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { held, showAsk } from '../support/api-calls.ts';
import { openServer } from '../support/server.ts';

it('tries a failed sweep again after a while, and succeeds when the cause is gone', async () => {
  const server = await openServer();
  try {
    const broken = await held(server, { expires_after_ms: 1000 });
    const good = await held(server, { expires_after_ms: 1000 });
    const edit = (content: string) => {
      const db = new DatabaseSync(join(server.folder, 'holdpoint.db'));
      db.prepare('UPDATE asks SET content = ? WHERE id = ?').run(content, broken.ask.ask_id);
      db.close();
    };
    await server.restart(() => {
      edit('{broken');
      server.advance(2000);
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.sweepErrors.length).toBeLessThan(10);
    await server.restart(() => edit(JSON.stringify({ questions: [] })));
    for (const { ask } of [broken, good]) expect((await showAsk(server, ask.ask_id)).status).toBe('expired');
  } finally {
    await server.close();
  }
});

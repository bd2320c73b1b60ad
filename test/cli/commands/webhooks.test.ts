// `holdpoint webhooks` and `holdpoint notify` as processes against a real server and a receiver that verifies.
// Covers: src/cli/commands/notify.ts
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';
import { PATIENT, testBedForAll } from '../test-bed.ts';

const bed = testBedForAll({ HOLDPOINT_NOTIFY_HOSTS: '127.0.0.1', HOLDPOINT_PAGE_URL: 'https://page.example/' });
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.stop());

describe('webhooks', PATIENT, () => {
  it('are added, tested, listed, redelivered and removed', async () => {
    const added = await bed.run(['webhooks', 'add', 'ops', receiver.url, '--event', 'ask.raised', '--json']);
    const { secret } = JSON.parse(added.stdout);
    receiver.secret = secret;
    const tested = await bed.run(['notify', 'test', 'ops']);
    expect([tested.code, tested.stdout]).toEqual([0, 'ops by webhook: accepted\n']);
    const ask = await (await bed.work('hooked')).approval('one');
    await expect
      .poll(() => receiver.received.at(-1)?.data, { timeout: 60_000 })
      .toMatchObject({
        ask_id: ask.ask_id,
        url: `https://page.example/asks/${ask.ask_id}`,
      });
    expect((await bed.run(['webhooks', 'list'])).stdout).toMatch(/ops +127\.0\.0\.1:\d+ +ask\.raised +active/);
    expect((await bed.run(['webhooks', 'deliveries', 'ops'])).stdout).toMatch(/ask\.raised .* accepted +1\n.*test/s);
    const again = await bed.run(['webhooks', 'redeliver', 'ops', '--since', '2020-01-01']);
    expect(again.stderr).toContain('2 are sent again');
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(4);
    expect([receiver.distinct().length, receiver.forged]).toEqual([2, []]);
    expect((await bed.run(['webhooks', 'remove', 'ops'])).stdout).toBe('ops is removed\n');
    await bed.run(['webhooks', 'add', 'down', receiver.url]);
    receiver.mood = (response) => response.writeHead(500).end();
    const failed = await bed.run(['notify', 'test', 'down']);
    expect([failed.code, failed.stdout, failed.stderr]).toEqual([
      7,
      'down by webhook: due: the endpoint replied 500\n',
      expect.stringContaining('did not reach every device and webhook of down'),
    ]);
    expect((await bed.run(['webhooks', 'remove', 'down'])).code).toBe(0);
    const gone = await bed.run(['notify', 'test', 'ops']);
    expect([gone.code, gone.stderr]).toEqual([3, expect.stringContaining('no webhook has this name; nobody has')]);
    const inside = await bed.run(['webhooks', 'add', 'x', 'https://10.0.0.1/']);
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('not on the public internet')]);
  });
});

// Webhooks against the suite that every channel must pass, with a receiver that verifies signatures; and the format of Slack.
import { describe, expect, it } from 'vitest';
import type { NewWebhookView } from '../../../src/core/notice-views.ts';
import { describeChannel } from '../../conformance/channel.ts';
import { eventually, newSession, ok, raiseApproval, startRun } from '../../support/api-calls.ts';
import { openServer } from '../../support/server.ts';
import { WebhookReceiver } from '../../support/webhook-receiver.ts';

let receiver: WebhookReceiver;
const ofAsk = (askId: string) => receiver.distinct().filter(({ data }) => data.ask_id === askId);

describeChannel({
  name: 'webhook',
  async start() {
    receiver = await WebhookReceiver.start();
    return receiver;
  },
  async stop() {
    expect(receiver.forged).toEqual([]);
    // With it, a masked password could be guessed and checked.
    expect(receiver.bodies.filter((body) => /sha256/.test(body))).toEqual([]);
    await receiver.stop();
  },
  async add(server) {
    receiver.received.splice(0);
    receiver.bodies.splice(0);
    const { secret } = await ok(server.post<NewWebhookView>('/v1/webhooks', { url: receiver.url, name: 'ana' }));
    receiver.secret = secret;
  },
  texts: () => receiver.bodies,
  shown: (askId) => ofAsk(askId).map(({ data }) => `${data.text} ${data.url}`),
  taken: (askId) => receiver.received.filter(({ data }) => data.ask_id === askId).length,
  markup: { text: '<!channel>', harmless: /<!channel>/ },
  replaces: false,
});

describe('a webhook in the format of Slack', () => {
  it('sends a text in which nothing is a mention or a link', async () => {
    const slack = await WebhookReceiver.start();
    const server = await openServer({ notifyHosts: [slack.host] });
    await ok(server.post('/v1/webhooks', { url: slack.url, name: 'slack', format: 'slack', events: ['ask.raised'] }));
    const { session_id } = await newSession(server, {});
    const { run_id } = await startRun(server, session_id);
    const command = 'echo <!channel> <@U123> <https://evil.example|your bank> [bank](//evil.example) & @all';
    const ask = await raiseApproval(server, run_id, { tool_name: 'Bash', input: { command } });
    await eventually(() => slack.bodies.map((body) => JSON.parse(body))).toEqual([
      {
        text: `Bash: echo &lt;!channel&gt; &lt;@\u2060U123&gt; &lt;https:\u2060//evil.example|your bank&gt; [bank]\u2060(//evil.example) &amp; @\u2060all\nhttps://holdpoint.example.org/asks/${ask.ask_id}`,
        unfurl_links: false,
        mrkdwn: false,
      },
    ]);
    await server.close();
    await slack.stop();
  });
});

// The suite that every channel must pass, against a provider of our own that reads messages with the official libraries. It
// knows a channel only by what arrives at the provider and by what a person sees there.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NoticeView } from '../../src/core/notice-views.ts';
import { allow, decide, eventually, newSession, ok, raiseApproval, showAsk, startRun } from '../support/api-calls.ts';
import { openServer, type Server } from '../support/server.ts';

/** How the provider behaves: `lost` takes a message and breaks the connection, `silent` never replies. */
const MOODS = {
  ready: (response, take) => {
    take();
    response.writeHead(201).end();
  },
  down: (response) => response.writeHead(503).end(),
  limited: (response) => response.writeHead(429, { 'retry-after': '120' }).end(),
  lost: (response, take) => {
    take();
    response.destroy();
  },
  silent: () => {},
  gone: (response) => response.writeHead(410).end(),
} satisfies Record<string, ProviderMood>;

type ProviderMood = (response: ServerResponse, take: () => void) => void;

export interface ChannelFixture {
  name: string;
  /** Starts the provider. */
  start(): Promise<{ mood: ProviderMood; host: string }>;
  stop(): Promise<void>;
  /** Adds a contact on the channel, named `ana`, to the server. */
  add(server: Server): Promise<void>;
  /** Everything that was ever taken, as plain text. */
  texts(): string[];
  /** What a person sees of an ask: messages, each once however often it was sent. */
  shown(askId: string): string[];
  /** How often messages of an ask were taken. */
  taken(askId: string): number;
  /** Markup of the channel that an agent's text must not become. */
  markup: { text: string; harmless: RegExp };
  /** Whether a message about the end replaces the one before it, or follows it. */
  replaces: boolean;
}

const HOUR_MS = 60 * 60 * 1000;

export function describeChannel(channel: ChannelFixture): void {
  describe(`the channel ${channel.name}`, () => {
    let server: Server;
    let provider: Awaited<ReturnType<ChannelFixture['start']>>;
    const set = (mood: keyof typeof MOODS) => {
      provider.mood = MOODS[mood];
    };
    beforeAll(async () => {
      provider = await channel.start();
    });
    afterAll(() => channel.stop());
    beforeEach(async () => {
      set('ready');
      server = await openServer({ notifyHosts: [provider.host] });
      await channel.add(server);
    });
    afterEach(async () => {
      await server.close();
      expect(server.sweepErrors).toEqual([]);
    });

    const raise = async (input: Record<string, unknown> = { command: 'npm test' }, title = 'Shop') => {
      const { session_id } = await newSession(server, { title });
      const { run_id } = await startRun(server, session_id);
      return raiseApproval(server, run_id, { tool_name: 'Bash', input });
    };
    const notices = async (askId: string) => (await showAsk(server, askId)).notices ?? [];
    const states = async (askId: string) =>
      (await notices(askId)).map(({ event, state, attempts }: NoticeView) => `${event} ${state} ${attempts}`);
    const said = (askId: string) => channel.shown(askId).join('\n');

    it('sends an ask once, says on the ask who was told, and closes the message when the ask ends', async () => {
      const ask = await raise();
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised accepted 1']);
      expect(said(ask.ask_id)).toContain('npm test');
      expect((await notices(ask.ask_id))[0]).toMatchObject({ who: 'ana', channel: channel.name });
      await ok(decide(server, ask.run_id, allow(ask.ask_id)));
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised accepted 1', 'ask.ended accepted 1']);
      expect(channel.shown(ask.ask_id).at(-1)).toContain('Allowed by operator');
      expect(channel.shown(ask.ask_id)).toHaveLength(channel.replaces ? 1 : 2);
    });

    it('sends again what the provider took without saying so, and a person sees it once', async () => {
      set('lost');
      const ask = await raise();
      await eventually(() => channel.taken(ask.ask_id)).toBe(1);
      set('ready');
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised accepted 2']);
      expect(channel.taken(ask.ask_id)).toBe(2);
      expect(channel.shown(ask.ask_id)).toHaveLength(1);
    });

    it('goes on after a provider was down for an hour, limited the rate, or left a stopping server without reply', async () => {
      set('down');
      const ask = await raise();
      for (let attempt = 1; attempt < 6; attempt++) {
        await eventually(() => states(ask.ask_id)).toEqual([`ask.raised due ${attempt}`]);
        server.advance(HOUR_MS / 5);
      }
      set('limited');
      server.advance(HOUR_MS);
      await eventually(async () => (await notices(ask.ask_id))[0]?.reason).toContain('429');
      expect((await notices(ask.ask_id))[0]?.due_at_ms).toBeGreaterThanOrEqual(server.now() + 110_000);
      set('silent');
      server.advance(HOUR_MS);
      await eventually(async () => (await notices(ask.ask_id))[0]?.state).toBe('sent');
      await server.restart(() => {
        set('ready');
        server.advance(HOUR_MS);
      });
      await eventually(async () => (await notices(ask.ask_id))[0]?.state).toBe('accepted');
      expect(channel.shown(ask.ask_id)).toHaveLength(1);
    });

    it('gives up after a day, marks the ask as one that nobody was told of, and never touches the ask', async () => {
      set('down');
      const ask = await raise();
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised due 1']);
      server.advance(25 * HOUR_MS);
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised failed 2']);
      const { unreached } = await ok(server.get<{ unreached: string[] }>('/v1/notices'));
      expect(unreached).toEqual([ask.ask_id]);
      expect((await server.get('/metrics')).text).toContain('holdpoint_notices{state="unreached"} 1');
      expect((await showAsk(server, ask.ask_id)).status).toBe('pending');
    });

    it('ends the contact when the provider says that it is gone, and does not forget that somebody is missing', async () => {
      set('gone');
      const ask = await raise();
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised failed 1']);
      set('ready');
      const next = await raise();
      if (channel.replaces) await eventually(() => states(next.ask_id)).toEqual(['ask.raised failed 0']);
      expect(channel.taken(next.ask_id)).toBe(0);
    });

    it('shows hostile text as text', async () => {
      const { text, harmless } = channel.markup;
      const ask = await raise({ command: `echo ${text}\u202e\u200b` }, `T ${text}`);
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised accepted 1']);
      expect(said(ask.ask_id)).toMatch(harmless);
      expect(said(ask.ask_id)).not.toMatch(/[\u202e\u200b]/);
    });

    it('sends no secret and no long input, but where to see it', async () => {
      // The end of what is read falls into the second secret.
      const secrets = `--password hunter2secret${'p'.repeat(359)} ghp_1234567890abcdefghij`;
      const ask = await raise({ command: `deploy ${secrets} ${'x '.repeat(3000)}END` });
      await eventually(() => states(ask.ask_id)).toEqual(['ask.raised accepted 1']);
      expect(said(ask.ask_id)).toContain(`/asks/${ask.ask_id}`);
      const all = channel.texts().join('\n');
      expect(all).not.toMatch(/hunter2secret|ghp_/);
      expect(all).not.toContain('END');
    });
  });
}

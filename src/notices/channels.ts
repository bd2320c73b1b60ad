// Lists the channels. A channel is one file and one line here.
import type { Channel, ChannelContext } from './channel.ts';
import { createPushChannel } from './channels/push.ts';
import { createWebhookChannel } from './channels/webhook.ts';

const CHANNELS: Record<string, (context: ChannelContext) => Channel> = {
  push: createPushChannel,
  webhook: createWebhookChannel,
};

export const CHANNEL_NAMES = Object.keys(CHANNELS);

export const createChannels = (context: ChannelContext): ReadonlyMap<string, Channel> =>
  new Map(Object.entries(CHANNELS).map(([name, create]) => [name, create(context)]));

// Declares the contract of a channel: one file that sends, updates and closes messages of one kind. A channel keeps no state
// and decides nothing; the dispatcher repeats what fails, with the same handle, and test/conformance/channel.ts says what
// every channel must withstand.

import type { Winner } from '../core/errors.ts';
import type { Contact, NoticeEvent, SendResult } from '../core/notice.ts';
import type { GuardedPost } from './guarded-post.ts';

export interface Channel {
  readonly name: string;
  /**
   * `asks`: a message stands for an ask until it ends, and is dropped when the ask ended before it was sent. `events`: each
   * event is a message of its own, in the order of the log.
   */
  readonly shows: 'asks' | 'events';
  send(target: Target, message: Message): Promise<SendResult>;
  /** Replaces the message of the same handle. */
  update(target: Target, message: Message): Promise<SendResult>;
  /** The message of the handle says from now on how it ended. */
  close(target: Target, message: Message): Promise<SendResult>;
  /** Listens for buttons and replies of linked people, until the returned function is called. */
  receive?(desk: Desk): Promise<() => Promise<void>>;
}

export interface Target {
  contact: Contact;
  /** As the channel stored it. */
  address: unknown;
}

/** What a channel may show. Its texts are redacted, one line each, with hidden characters spelled out. */
export interface Message {
  id: string;
  handle: string;
  event: NoticeEvent;
  atMs: number;
  isUrgent: boolean;
  /** Where the page shows it. */
  path: string;
  sessionId: string | undefined;
  runId: string | undefined;
  /** This and the title are absent of a message about asks of several sessions. */
  agent: string | undefined;
  /** What people call the session. */
  title: string | undefined;
  ask?: MessageAsk;
  /** How the ask ended. */
  ended?: Winner;
  run?: { status: string };
  /** Of a message about several asks: how many of them are pending. */
  count?: number;
  /** Of `ask.escalated`. */
  waitedMs?: number;
}

export interface MessageAsk {
  id: string;
  kind: 'approval' | 'question';
  digest: string;
  heading: string;
  text: string;
  /** Nothing of what would run is missing in `text`. */
  isWhole: boolean;
  /** Nothing was found that a person should look at before. */
  isLowRisk: boolean;
  expiresAtMs?: number;
}

/** What a channel that receives may do, in the name of a linked person. Every press is checked here, not in the channel. */
export interface Desk {
  press(press: Press): Promise<{ text: string }>;
}

export interface Press {
  /** The account at the provider that pressed; who that is, only a link says. */
  account: string;
  askId: string;
  /** Of the ask as the message showed it. */
  digest: string;
  decision: 'allow' | 'deny';
  /** One press, however often the provider repeats it. */
  id: string;
}

/** What channels are made with. */
export interface ChannelContext {
  post: GuardedPost;
  /** The key pair by which push services know this server. */
  vapidKeys(): Promise<{ publicKey: string; privateKey: string }>;
  /** Whom a push service may write to: an address that begins with `mailto:` or `https:`. */
  pushContact: string;
  /** Where people reach the page, if that is known. */
  pageUrl(): string | undefined;
  now(): number;
}

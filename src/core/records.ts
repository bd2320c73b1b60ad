// Declares which kinds of records units write. Types only.
import type { Ask } from './ask.ts';
import type { Draft } from './draft.ts';
import type { Grant } from './grant.ts';
import type { StoredResponse } from './idempotency.ts';
import type { Message } from './mailbox.ts';
import type { Contact, Notice } from './notice.ts';
import type { Output } from './output.ts';
import type { QuietHours } from './quiet-hours.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';
import type { SignInLink } from './sign-in.ts';
import type { Skill } from './skill.ts';
import type { Token } from './token.ts';

export interface Records {
  session: Session;
  run: Run;
  ask: Ask;
  output: Output;
  message: Message;
  response: StoredResponse;
  /** What a dispatch left for the next one, as JSON text; beside the ask, because it may be large and belongs in no list. */
  partialState: { askId: string; state: string };
  /** Which subtask displayed which form: one. */
  form: { sessionId: string; subtaskId: string; askId: string };
  grant: Grant;
  token: Token;
  signInLink: SignInLink;
  draft: Draft;
  skill: Skill;
  /** Its zip, in base 64. */
  skillArchive: { skillId: string; zip: string };
  contact: Contact;
  notice: Notice;
  quietHours: { person: string; hours: QuietHours };
}

export type RecordKind = keyof Records;

interface PairKeys {
  output: [runId: string, id: string];
  form: [sessionId: string, subtaskId: string];
  draft: [askId: string, savedBy: string];
}
/** What finds one record of a kind. */
export type KeyOf<Kind extends RecordKind> = Kind extends keyof PairKeys ? PairKeys[Kind] : [key: string];

/** Records of which the last save wins, and those that are deleted. */
export type Saved = 'draft' | 'quietHours';
export type Removed = 'draft' | 'skill' | 'skillArchive' | 'quietHours';
/** Records that are deleted some time after they were of use. */
export type Forgotten = 'draft' | 'signInLink' | 'response' | 'notice';

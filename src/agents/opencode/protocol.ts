// Declares the messages of an OpenCode server (version 1.18) that this adapter reads, with only the members it uses. Owns
// shapes; what a message means is decided elsewhere.
import { z } from 'zod';

const text = z.string();
const maybe = <T extends z.ZodType>(type: T) => type.nullish();
const calledBy = maybe(z.looseObject({ messageID: text, callID: text }));

export const Permission = z.looseObject({
  id: text,
  sessionID: text,
  permission: text,
  patterns: z.array(text).catch([]),
  metadata: z.record(text, z.unknown()).catch({}),
  always: z.array(text).catch([]),
  tool: calledBy,
});
export type Permission = z.infer<typeof Permission>;

export const Question = z.looseObject({
  id: text,
  sessionID: text,
  questions: z.array(
    z.looseObject({
      question: text,
      header: maybe(text),
      options: maybe(z.array(z.looseObject({ label: text, description: maybe(text) }))),
      multiple: maybe(z.boolean()),
      /** Whether a person may type an answer of their own; OpenCode's default is yes. */
      custom: maybe(z.boolean()),
    }),
  ),
  tool: calledBy,
});
export type Question = z.infer<typeof Question>;

/** A permission or a question that OpenCode waits for, with the folder in which it can be answered. */
export type Request = { directory: string } & (
  | { kind: 'permission'; asked: Permission }
  | { kind: 'question'; asked: Question }
);

export const Session = z.looseObject({
  id: text,
  directory: text,
  title: maybe(text),
  agent: maybe(text),
  parentID: maybe(text),
});
export type Session = z.infer<typeof Session>;

export const Part = z.looseObject({
  id: text,
  sessionID: text,
  messageID: text,
  type: text,
  text: maybe(text),
  time: maybe(z.looseObject({ end: maybe(z.number()) })),
  metadata: maybe(z.record(text, z.unknown())),
  callID: maybe(text),
  tool: maybe(text),
  state: maybe(
    z.looseObject({
      status: text,
      input: maybe(z.record(text, z.unknown())),
      output: maybe(text),
      error: maybe(text),
    }),
  ),
});
export type Part = z.infer<typeof Part>;

const Failure = z.looseObject({ name: text, data: maybe(z.looseObject({ message: maybe(text) })) });
const MessageInfo = z.looseObject({ id: text, sessionID: text, role: text, error: maybe(Failure) });
export const Message = z.looseObject({ info: MessageInfo, parts: z.array(Part) });
export type Message = z.infer<typeof Message>;

/** By session; one that is not listed is idle. */
export const Statuses = z.record(text, z.looseObject({ type: text }));

/** An event of `/global/event`; only those about the server itself lack a folder. */
export const ServerEvent = z.looseObject({
  directory: text.catch(''),
  payload: z.looseObject({ type: text, properties: z.record(text, z.unknown()).catch({}) }),
});

/** The properties of events that are read, with the folder that each event carries. */
const folder = { directory: text };
export const PermissionAsked = Permission.extend(folder);
export const QuestionAsked = Question.extend(folder);
/** `reply`: of a permission. */
export const RequestSettled = z.looseObject({ requestID: text, reply: maybe(text) });
export const SessionIdle = z.looseObject({ ...folder, sessionID: text });
export const SessionError = z.looseObject({ ...folder, sessionID: maybe(text), error: maybe(Failure) });
export const FolderClosed = z.looseObject(folder);
export const SessionDeleted = z.looseObject({ ...folder, info: z.looseObject({ id: text }) });
export const SessionCreated = z.looseObject({ info: Session });
export const SessionStatus = z.looseObject({ status: z.looseObject({ type: text, message: maybe(text) }) });
export const MessageUpdated = z.looseObject({ info: MessageInfo });
export const PartUpdated = z.looseObject({ part: Part });

export const failureText = (failure: z.infer<typeof Failure> | null | undefined): string =>
  failure?.data?.message || failure?.name || 'OpenCode reported an error without a message.';

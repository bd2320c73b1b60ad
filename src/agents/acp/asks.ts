// Translates a permission request of an ACP agent into an ask, and its outcome into one of the options that the agent offers.
// Pure. An option is chosen by its kind, never by its place or name; without an explicit allow, one that rejects.
import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from '@agentclientprotocol/sdk';
import { createTwoFilesPatch } from 'diff';
import { z } from 'zod';
import type { AskOutcome } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { canonical } from '../../core/digest.ts';
import { shellQuote } from '../../node/shell-quote.ts';
import { headerOf, optionsOf } from '../kit/question-options.ts';
import { answerText } from '../kit/resume-message.ts';
import { unwrapShell } from '../wire/shell-words.ts';
import type { Quirks } from './quirks.ts';

type ToolCall = RequestPermissionRequest['toolCall'];
/** Qwen Code reads answers beside the outcome. */
export type PermissionReply = RequestPermissionResponse & { answers?: Record<string, string> };

const ID_CHARACTERS = 200;
const TOOL_NAME_CHARACTERS = 200;

export const CANCELLED: PermissionReply = { outcome: { outcome: 'cancelled' } };

export const callIdFor = (toolCallId: string): string => toolCallId.slice(0, ID_CHARACTERS);

export function approvalSpec(
  { toolCall, options }: RequestPermissionRequest,
  quirks: Quirks = {},
): ApproveSpec & { id: string } {
  const suggestions = suggestionsOf(options).map(({ optionId: id, name: label }) => ({ id, label }));
  return {
    id: callIdFor(toolCall.toolCallId),
    ...actionOf(toolCall, quirks),
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** Everything that the agent says about what it wants to do. Only a command can be changed: the model can repeat that. */
function actionOf(
  toolCall: ToolCall,
  { isCommandInTitle }: Quirks,
): Pick<ApproveSpec, 'tool_name' | 'input' | 'reason' | 'diff' | 'editable'> {
  const { kind, title, locations } = toolCall;
  const given = objectOf(toolCall.rawInput);
  const { command, description, ...more } = given;
  const line = commandLine(isCommandInTitle && toolCall.rawInput == null ? title : command);
  if (kind === 'execute' && line !== undefined)
    return {
      tool_name: 'Bash',
      input: { command: line, ...more },
      ...(typeof description === 'string' && { reason: description }),
    };
  const content = toolCall.content ?? [];
  const diffs = content.filter((part) => part.type === 'diff');
  const files = new Map(diffs.map(({ path, oldText }) => [path, { path, change: oldText == null ? 'add' : 'update' }]));
  const [path] = files.keys();
  const said = content.flatMap((part) => textsOf(part)).join('\n');
  const stated: Record<string, unknown> = {
    ...(title && { title }),
    ...(files.size === 1 && { file_path: path }),
    ...(files.size > 1 && { files: [...files.values()] }),
    ...(locations?.length && { locations: locations.map(({ path }) => path) }),
    ...(said && { details: said }),
  };
  return {
    tool_name: toolName(toolCall, diffs.length > 0),
    input: { ...given, ...stated, ...unstated(toolCall.rawInput, stated) },
    ...(diffs.length > 0 && { diff: diffs.map(diffText).join('\n') }),
    editable: false,
  };
}

/**
 * The model writes what is in the raw input, the agent what it states about the call. Where they differ, and where the raw
 * input is no object, it is shown beside that and no rule is about it.
 */
function unstated(raw: unknown, stated: Record<string, unknown>): { raw_input?: unknown } {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) return { raw_input: raw };
  const differs = ([name, value]: [string, unknown]) =>
    name in stated && canonical(value ?? null) !== canonical(stated[name]);
  const others = Object.entries(raw).filter(differs);
  return others.length > 0 ? { raw_input: Object.fromEntries(others) } : {};
}

/** A name that the agent gives is its own; otherwise the kind of the call. */
function toolName({ name, kind }: ToolCall, changesFiles: boolean): string {
  if (changesFiles && (kind === 'edit' || !kind)) return 'Edit';
  return (name?.trim() || kind || 'other').slice(0, TOOL_NAME_CHARACTERS);
}

const diffText = ({ path, oldText, newText }: { path: string; oldText?: string | null; newText: string }): string =>
  createTwoFilesPatch(path, path, oldText ?? '', newText);

function textsOf(part: ToolCallContent): string[] {
  return part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [];
}

const objectOf = (raw: unknown): Record<string, unknown> =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? { ...raw } : {};

function commandLine(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  const words = z.array(z.string()).min(1).safeParse(command);
  return words.success ? unwrapShell(words.data.map(shellQuote).join(' ')) : undefined;
}

/** Without options that share an id with another one: a reply names only the id. */
const ofKind = (options: readonly PermissionOption[], kind: PermissionOptionKind) =>
  options.filter(
    (option) => option.kind === kind && options.filter(({ optionId }) => optionId === option.optionId).length === 1,
  );

/** Every way to allow besides the plain one. None is plain where several allow once: their order decides nothing. */
function suggestionsOf(options: readonly PermissionOption[]): PermissionOption[] {
  const once = ofKind(options, 'allow_once');
  return [...(once.length > 1 ? once : []), ...ofKind(options, 'allow_always')];
}

/** Undefined if the agent offers no single way to allow this once, and the person took none of the others. */
export function allowance(
  options: readonly PermissionOption[],
  suggestionIds: readonly string[],
): PermissionReply | undefined {
  const chosen = suggestionsOf(options).find(({ optionId }) => suggestionIds.includes(optionId));
  const [plain, ...others] = ofKind(options, 'allow_once');
  const option = chosen ?? (others.length === 0 ? plain : undefined);
  return option && selected(option);
}

export const isAllowance = (options: readonly PermissionOption[], { outcome }: PermissionReply): boolean =>
  outcome.outcome === 'selected' &&
  [...ofKind(options, 'allow_once'), ...ofKind(options, 'allow_always')].some(
    ({ optionId }) => optionId === outcome.optionId,
  );

export function rejection(options: readonly PermissionOption[]): PermissionReply {
  const [option] = [...ofKind(options, 'reject_once'), ...ofKind(options, 'reject_always')];
  return option ? selected(option) : CANCELLED;
}

const selected = ({ optionId }: PermissionOption): PermissionReply => ({ outcome: { outcome: 'selected', optionId } });

const Questions = z.looseObject({
  questions: z
    .array(
      z.looseObject({
        question: z.string().min(1),
        header: z.string().nullish(),
        options: z.array(z.looseObject({ label: z.string(), description: z.string().nullish() })).nullish(),
        multiSelect: z.boolean().nullish(),
      }),
    )
    .min(1)
    .max(20),
});
const questionId = (i: number): string => `question-${i + 1}`;

/** Some agents ask questions as a permission to think, with the questions in the input of the call. */
export function questionSpec({ toolCall }: RequestPermissionRequest): (AskSpec & { id: string }) | undefined {
  const read = toolCall.kind === 'think' ? Questions.safeParse(toolCall.rawInput) : undefined;
  if (!read?.success) return undefined;
  const questions = read.data.questions.map(({ question, header, options, multiSelect }, i) => {
    const offered = optionsOf(options);
    const choice = offered && { options: offered, multi_select: multiSelect ?? false };
    return { id: questionId(i), ...headerOf(header), question, required: false, ...choice };
  });
  return { id: callIdFor(toolCall.toolCallId), questions };
}

/** Undefined if it was not answered. Without `answers` the agent would tell its model that all of them are empty. */
export function answersTo(
  { options }: RequestPermissionRequest,
  { questions }: { questions: readonly unknown[] },
  outcome: AskOutcome,
): PermissionReply | undefined {
  const submitted = outcome.status === 'answered' ? allowance(options, []) : undefined;
  if (!submitted || outcome.status !== 'answered') return undefined;
  const answers = questions.map((_, i) => [String(i), answerText(outcome.answers, questionId(i))]);
  return { ...submitted, answers: Object.fromEntries(answers) };
}

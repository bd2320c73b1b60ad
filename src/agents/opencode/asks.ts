// Translates a permission or a question of OpenCode into an ask, and its outcome into OpenCode's reply. Pure. Only an explicit
// allow becomes one. A denial always has a message: without one OpenCode ends the turn and tells the model nothing.
import { z } from 'zod';
import type { ApprovalOutcome, AskOutcome } from '../../client/outcome.ts';
import type { ApproveSpec, AskSpec } from '../../client/spec.ts';
import { headerOf, optionsOf } from '../kit/question-options.ts';
import { answerText, notAnsweredText } from '../kit/resume-message.ts';
import type { PermissionReply, QuestionReply } from './api.ts';
import type { Part, Permission, Question } from './protocol.ts';

/** The suggestion by which OpenCode allows what matches its patterns without asking again. */
const ALWAYS = 'always';
const ID_CHARACTERS = 256;

/** Derives from the tool call, and is unique to the request: one call may ask several times. */
export const askIdOf = ({ id, tool }: Permission | Question): string =>
  (tool ? `${tool.callID.slice(0, ID_CHARACTERS - id.length - 1)}@${id}` : id).slice(0, ID_CHARACTERS);

/** `call`: the tool call that asks, where it is known. */
export function approvalSpec(asked: Permission, call: Part | undefined): ApproveSpec & { id: string } {
  const { always } = asked;
  return {
    id: askIdOf(asked),
    ...actionOf(asked, call),
    ...(always.length > 0 && {
      suggestions: [
        {
          id: ALWAYS,
          label: `Do not ask again for ${asked.permission}: ${always.join(', ')} (in all sessions, until this OpenCode ends)`,
          patterns: always,
        },
      ],
    }),
  };
}

/** Everything that OpenCode says about what it wants to do. Only a command can be changed: the model can repeat that. */
function actionOf(
  { permission, patterns, metadata }: Permission,
  call: Part | undefined,
): Pick<ApproveSpec, 'tool_name' | 'input' | 'reason' | 'diff' | 'editable'> {
  const { description, ...input } = call?.state?.input ?? {};
  const command = metadata.command ?? input.command;
  if (permission === 'bash' && typeof command === 'string')
    return {
      tool_name: 'Bash',
      input: { command, ...(typeof input.workdir === 'string' && { workdir: input.workdir }) },
      ...(typeof description === 'string' && { reason: description }),
    };
  const { diff, filepath, ...more } = metadata;
  const changed = permission === 'edit' && typeof diff === 'string' ? filesOf(metadata) : undefined;
  if (changed) return { tool_name: 'Edit', input: changed, diff: String(diff), editable: false };
  const isOwn = call !== undefined && call.tool === permission;
  const shown = isOwn
    ? { ...call.state?.input }
    : { patterns, ...(filepath !== undefined && { filepath }), ...(diff !== undefined && { diff }), ...more };
  const caller = call && !isOwn ? { tool: call.tool, tool_input: call.state?.input } : {};
  return { tool_name: permission, input: { ...shown, ...caller }, editable: false };
}

const PatchedFiles = z
  .array(z.looseObject({ filePath: z.string(), type: z.string(), movePath: z.string().nullish() }))
  .min(1);

/** The whole paths of the files that an edit changes. A patch has them in a list; its `filepath` is all of them in one text. */
function filesOf({ filepath, files: patched }: Record<string, unknown>): ApproveSpec['input'] | undefined {
  const files = PatchedFiles.safeParse(patched).data?.map(({ filePath: path, type: change, movePath }) => ({
    path,
    change,
    ...(movePath && { moved_to: movePath }),
  }));
  const [first, ...others] = files ?? [];
  if (first && (others.length > 0 || first.moved_to)) return { files };
  const file_path = first?.path ?? filepath;
  return typeof file_path === 'string' ? { file_path } : undefined;
}

export const allowance = ({ suggestion_ids }: Pick<ApprovalOutcome, 'suggestion_ids'>): PermissionReply => ({
  reply: suggestion_ids.includes(ALWAYS) ? 'always' : 'once',
});

export const denial = (message: string): PermissionReply => ({ reply: 'reject', message });

export function questionSpec(asked: Question): AskSpec & { id: string } {
  const questions = asked.questions.map(({ header, question, options, multiple, custom }, i) => {
    const offered = optionsOf(options);
    const choice = offered && { options: offered, multi_select: multiple ?? false, allow_other: custom !== false };
    return { id: questionId(i), ...headerOf(header), question, required: false, ...choice };
  });
  return { id: askIdOf(asked), questions };
}

const questionId = (i: number): string => `question-${i + 1}`;

/** A question without an answer is answered with a sentence that says so: OpenCode would only say "Unanswered". */
export function answersTo({ questions }: Question, outcome: AskOutcome): QuestionReply {
  if (outcome.status !== 'answered') return { answers: questions.map(() => [notAnsweredText(outcome)]) };
  const answers = questions.map((_, i) => {
    const given = outcome.answers.find(({ question_id }) => question_id === questionId(i));
    return given ? [...given.labels, ...(given.text ? [given.text] : [])] : [answerText([], questionId(i))];
  });
  return { answers };
}

// An ask in few words: the line in lists, the sentence of its end, what was answered. Pure; text only.
import type { AnswerView } from '../../../src/client/inbox-feed.ts';
import type { ApprovalRequest, AskView, SightingView, UserQuestionRequest } from '../../../src/core/views.ts';
import { isPlan, planTitle } from './plan-text.ts';
import { oneLine } from './visible.ts';

export const isQuestion = (request: AskView['request']): request is UserQuestionRequest => 'questions' in request;

/** What is longer is not worth cleaning for a list. */
const SUMMARY_CHARACTERS = 400;
const CLEANED_CHARACTERS = 4000;
const NAMING_KEYS = ['command', 'file_path', 'path', 'file', 'url', 'query', 'pattern'];

/** What is asked, on one line, without the name of the tool. */
export function summary(request: AskView['request']): string {
  return cut(isQuestion(request) ? (request.questions[0]?.question ?? '') : actionText(request));
}

/** Blanks go first, so that they push nothing out of the line. */
function cut(text: string): string {
  const line = oneLine(text.slice(0, CLEANED_CHARACTERS));
  const isAll = text.length <= CLEANED_CHARACTERS && line.length <= SUMMARY_CHARACTERS;
  return isAll ? line : `${line.slice(0, SUMMARY_CHARACTERS)}…`;
}

function actionText(request: ApprovalRequest): string {
  if (isPlan(request)) return planTitle(request.reason);
  const { input } = request;
  const key = NAMING_KEYS.find((name) => typeof input[name] === 'string' && input[name] !== '');
  if (key !== undefined) return String(input[key]);
  const words = [...changesIn(input), ...wantedIn(input)];
  return words.length > 0 ? words.join(', ') : JSON.stringify(input);
}

type Fields = Record<string, unknown>;

/** The files of a change: `update old.txt`. */
function changesIn({ files }: Fields): string[] {
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: Fields | null) =>
    typeof file?.path === 'string' && typeof file.change === 'string' ? [`${file.change} ${file.path}`] : [],
  );
}

/** Wider permissions that are asked for, in words, as far as they are understood: `use the network`, `write /srv/cache`. */
export function wantedIn({ permissions }: Fields): string[] {
  const { network, fileSystem } = Object(permissions) as { network?: Fields | null; fileSystem?: Fields | null };
  const paths = (verb: 'read' | 'write') => {
    const list = fileSystem?.[verb];
    return Array.isArray(list) ? list.map((path) => `${verb} ${String(path)}`) : [];
  };
  return [...(network?.enabled === true ? ['use the network'] : []), ...paths('read'), ...paths('write')];
}

/** Everybody but `me`, by when they first saw it on any surface. */
export function seenByOthers({ seen_by = [] }: AskView, me: string | undefined): SightingView[] {
  const first = new Map<string, SightingView>();
  for (const sighting of seen_by) if (sighting.by !== me && !first.has(sighting.by)) first.set(sighting.by, sighting);
  return [...first.values()];
}

/** What a person reads first: the tool, or how much is asked. */
export function heading(request: AskView['request']): string {
  if (!isQuestion(request)) return isPlan(request) ? 'Plan' : oneLine(request.tool_name);
  const [only] = request.questions;
  if (request.questions.length > 1) return `${request.questions.length} questions`;
  const header = oneLine(only?.header ?? '');
  return header === '' || /^Question \d+$/.test(header) ? 'Question' : header;
}

const SURFACE_NAMES: Record<string, string> = {
  web: 'the web inbox',
  cli: 'the command line',
  thread: 'the thread',
  form: 'the form',
  api: 'the API',
  mcp: 'MCP',
  opencode: 'OpenCode',
  link: 'a notification',
};

/** Of an answer that the agent does not have and never will. */
export const lostSentence = (reason: string | undefined): string =>
  reason === undefined ? 'the agent can no longer take it' : `the agent did not take it: ${cut(reason)}`;

type Ended = Pick<AnswerView, 'outcome' | 'behavior' | 'answered_by' | 'surface' | 'reason' | 'justification'>;
/** Nobody has decided it here: it was settled at the agent's own prompt, or nobody needs it now. A person may write it. */
const isWithdrawn = ({ outcome, reason }: Ended): boolean => outcome === 'cancelled' && reason === 'withdrawn';

/** `Allowed by lead from the command line`. */
export function endSentence(answer: Ended): string {
  if (isWithdrawn(answer))
    return `Taken back by its agent: ${oneLine(answer.justification ?? 'it is not needed any more')}`;
  const by = oneLine(answer.answered_by);
  if (answer.outcome === 'expired') return 'Expired before anyone answered';
  if (answer.outcome === 'failed') return 'Ended with its run, which failed';
  const verb = answer.outcome === 'answered' ? DONE[answer.behavior ?? 'answer'] : capital(answer.outcome);
  const from = SURFACE_NAMES[answer.surface];
  if (answer.surface === 'system') return `${verb} by ${by}`;
  return `${verb} by ${by}${from ? ` from ${from}` : ''}`;
}
const DONE = { allow: 'Allowed', deny: 'Denied', answer: 'Answered' } as const;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Question by question, what was answered. Secrets are only said to have been given. */
export function answersGiven({ request, answer }: AskView): { header: string; text: string }[] {
  if (!answer || !isQuestion(request)) return [];
  return (answer.answers ?? []).map((given) => {
    const asked = request.questions.find((question) => question.id === given.question_id);
    const labels = (given.selected_option_ids ?? []).map(
      (id) => asked?.options.find((option) => option.id === id)?.label ?? id,
    );
    const text = given.secret ? '(secret)' : (given.freeform_answer ?? '');
    return { header: asked?.header ?? given.question_id, text: [...labels, ...(text ? [text] : [])].join(', ') };
  });
}

/** The reason is only worth its place where somebody wrote it. */
export function reasonOf(answer: AnswerView): string | undefined {
  const reason = answer.reason ?? answer.justification;
  return isWritten(reason) && !isWithdrawn(answer) ? reason : undefined;
}
const isWritten = (reason: string | undefined): reason is string =>
  reason !== undefined && reason !== 'approval denied';

/** It was decided before, and its agent was lost before it heard of it: the person knows, and decides again. */
export function earlierSentence({ behavior, answered_by, reason }: NonNullable<ApprovalRequest['earlier']>): string {
  const why = isWritten(reason) ? ` (${oneLine(reason)})` : '';
  return `Before its worker was lost, ${oneLine(answered_by)} ${DONE[behavior].toLowerCase()} this${why}. Decide again.`;
}

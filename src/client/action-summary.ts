// Summarises an ask on one line: "Bash: rm -rf build", "Plan: Move the tests", "Where to deploy? (+1 more)". Pure, and
// the same in lists, notifications and toasts of every surface. The text is the agent's own: spelling out its hidden
// characters (hidden-characters.ts) belongs to the surface that shows it.
import { truncate } from '../core/text-limit.ts';
import type { ApprovalRequest, AskView, UserQuestionRequest } from '../core/views.ts';

export type AskRequest = AskView['request'];

export const isQuestion = (request: AskRequest): request is UserQuestionRequest => 'questions' in request;

export interface ActionSummary {
  /** The tool, "Plan", the header of the question, or "3 questions". */
  heading: string;
  /** What would be done, or the first question. Without line breaks, truncated. */
  text: string;
}

const LONGEST_TEXT = 400;
/** As much of a long text as is looked at. */
const LONGEST_READ = 4000;

/** `mask` is given the text before anything of it is cut off or joined, by which a secret could no longer be recognised. */
export function actionSummary(request: AskRequest, mask?: (text: string) => string): ActionSummary {
  if (isQuestion(request))
    return { heading: questionHeading(request), text: oneLine(request.questions[0]?.question ?? '', ' ', mask) };
  if (isPlan(request)) return { heading: 'Plan', text: oneLine(planTitle(request.reason), ' ', mask) };
  return { heading: request.tool_name, text: oneLine(actionText(request), '␊', mask) };
}

/** Both parts as one text, for surfaces that have one line. */
export function summaryLine(request: AskRequest): string {
  const { heading, text } = actionSummary(request);
  if (!isQuestion(request)) return text === '' ? heading : `${heading}: ${text}`;
  const more = request.questions.length - 1;
  return more > 0 ? `${text} (+${more} more)` : text;
}

function questionHeading({ questions }: UserQuestionRequest): string {
  if (questions.length > 1) return `${questions.length} questions`;
  const header = questions[0]?.header.trim() ?? '';
  return header === '' || /^Question \d+$/.test(header) ? 'Question' : header;
}

/** The field of an input that says what the tool acts on. */
const NAMING_FIELDS = ['command', 'file_path', 'path', 'file', 'url', 'query', 'pattern'];

/** What an input names, on one line. */
export const inputSummary = (input: Fields): string => oneLine(actionText({ input, reason: '{}' }), '␊');

function actionText({ input, reason, diff = '' }: Pick<ApprovalRequest, 'input' | 'reason' | 'diff'>): string {
  const field = NAMING_FIELDS.find((name) => typeof input[name] === 'string' && input[name] !== '');
  if (field !== undefined) return String(input[field]);
  const files = fileChanges(input, diff);
  const parts = [...files, ...wantedPermissions(input)];
  if (files.length > 1) return `${files.length} files: ${parts.join(', ')}`;
  if (parts.length > 0) return parts.join(', ');
  if (Object.keys(input).length === 0) return reason;
  const title = TITLE_FIELDS.find((name) => typeof input[name] === 'string' && input[name] !== '');
  return title === undefined ? JSON.stringify(input) : titled(title, input);
}

/** Fields by which a person recognises what a tool would make. Everything else follows, because a title may say anything. */
const TITLE_FIELDS = ['title', 'subject', 'name'];

function titled(key: string, { [key]: title, ...rest }: Fields): string {
  return Object.keys(rest).length === 0 ? String(title) : `${String(title)} · ${JSON.stringify(rest)}`;
}

type Fields = Record<string, unknown>;

/** `update old.txt` */
function fileChanges({ files }: Fields, diff: string): string[] {
  if (!Array.isArray(files)) return diffChanges(diff);
  return files.flatMap((file: Fields | null) =>
    typeof file?.path === 'string' && typeof file.change === 'string' ? [`${file.change} ${file.path}`] : [],
  );
}

const DIFF_FILE = /^--- (?:a\/)?([^\t\n]+).*\n\+\+\+ (?:b\/)?([^\t\n]+)/gm;
const NO_FILE = '/dev/null';

const diffChanges = (diff: string): string[] =>
  [...diff.matchAll(DIFF_FILE)].map(([, before, after]) => {
    if (after === NO_FILE) return `delete ${before}`;
    return before === NO_FILE ? `add ${after}` : `update ${after}`;
  });

/** Permissions that an agent asks for beyond its sandbox, as far as they are understood: `write /srv/cache`. */
export function wantedPermissions({ permissions }: Fields): string[] {
  const { network, fileSystem } = Object(permissions) as { network?: Fields | null; fileSystem?: Fields | null };
  const paths = (verb: 'read' | 'write') => {
    const list = fileSystem?.[verb];
    return Array.isArray(list) ? list.map((path) => `${verb} ${String(path)}`) : [];
  };
  return [...(network?.enabled === true ? ['use the network'] : []), ...paths('read'), ...paths('write')];
}

/** Leaving plan mode is an approval whose input says nothing: the plan is the reason. */
const PLAN_TOOL = 'ExitPlanMode';

/** Whether the approval is about a plan and about nothing else that its input names. */
export function isPlan({ tool_name, input, reason }: ApprovalRequest): boolean {
  const { plan = reason, planFilePath = '', ...rest } = input;
  const isAllOfIt = plan === reason && typeof planFilePath === 'string' && Object.keys(rest).length === 0;
  return tool_name === PLAN_TOOL && isAllOfIt && reason.trim() !== '';
}

/** The first line with a letter or digit in it, without its Markdown marks. */
function planTitle(plan: string): string {
  const line = plan.split('\n').find((text) => /[\p{L}\p{N}]/u.test(text)) ?? plan;
  return line.replace(/^[\s#>*-]+/, '');
}

/** Line breaks are replaced by `lineBreak`; runs of blanks collapse first, so that they push nothing out of the line. */
function oneLine(text: string, lineBreak: string, mask = (given: string): string => given): string {
  const line = mask(text.slice(0, LONGEST_READ))
    .trim()
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\r?\n[ \r\n]*/g, lineBreak);
  const isWhole = text.length <= LONGEST_READ && line.length <= LONGEST_TEXT;
  return isWhole ? line : `${truncate(line, LONGEST_TEXT, '')}…`;
}

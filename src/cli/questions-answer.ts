// `holdpoint questions answer`: interactively, from JSON, or by declining. Nothing is sent before the whole answer is
// there; whoever leaves in between has answered nothing.
import { Command } from 'commander';
import { z } from 'zod';
import type { Client } from '../client/client.ts';
import { QuestionAnswer, type QuestionResolution } from '../core/answer.ts';
import type { AskView, UserQuestionRequest } from '../core/views.ts';
import { findAsk, type Scope } from './ask-lookup.ts';
import { Failure } from './failure.ts';
import { withExamples } from './help-examples.ts';
import { readJson } from './json-input.ts';
import { print, printJson } from './output.ts';
import { answerInteractively } from './prompt/line-prompt.ts';
import { openLineReader } from './prompt/line-reader.ts';
import { setExitOf, waitUntilSettled } from './run-wait.ts';
import { connect, type MutationFlags, once, withMutation } from './server-connection.ts';
import { tellSeen } from './sighting.ts';
import { endText } from './text/ask-text.ts';
import { runStatusLines } from './text/run-text.ts';
import { hasColours, painter } from './text/spans.ts';

interface AnswerFlags extends MutationFlags, Scope {
  interactive?: boolean;
  declined?: boolean;
  answersJson?: string;
  answersFile?: string;
  justification?: string;
  wait?: boolean;
}

const LOOK_MS = 30_000;

export function questionsAnswerCommand(): Command {
  const command = new Command('answer')
    .description('answer a question, or decline it')
    .argument('<request_id>', 'the question, or the beginning or end of its id')
    .option('--interactive', 'ask me at this terminal, question by question')
    .option('--declined', 'decline to answer; the agent is told and goes on')
    .option('--answers-json <json>', 'the answers: [{"question_id", "selected_option_ids"?, "freeform_answer"?}]')
    .option('--answers-file <file>', 'the same from a file; - for standard input')
    .option('--justification <text>', 'why, for the agent and the record')
    .option('--session-id <id>', 'look in this session only')
    .option('--run-id <id>', 'look in this run only')
    .option('--wait', 'until the run has ended or asks again');
  withExamples(
    command,
    'holdpoint questions answer 781b0c --interactive',
    `holdpoint questions answer 781b0c --answers-json '[{"question_id":"target","selected_option_ids":["staging"]}]'`,
    'holdpoint questions answer 781b0c --declined --justification "you decide"',
  );
  return withMutation(command).action(answer);
}

async function answer(typed: string, flags: AnswerFlags): Promise<void> {
  checkFlags(flags);
  const given = flags.interactive || flags.declined ? undefined : answersOf(flags);
  const client = await connect(flags);
  const ask = await findAsk(client, 'question', typed, flags);
  const resolution: QuestionResolution = {
    request_id: ask.ask_id,
    ...(flags.declined ? { declined: true } : { answers: given ?? (await fromPerson(client, ask)) }),
    ...(flags.justification !== undefined && { justification: flags.justification }),
  };
  const run = await once(flags, (options) => client.questions.answerRun(ask.run_id, { resolution }, options));
  const shown = flags.wait ? await waitUntilSettled(client, run, flags) : run;
  if (flags.wait) setExitOf(shown);
  if (flags.json) return printJson(shown);
  print(...runStatusLines(shown));
}

function checkFlags(flags: AnswerFlags): void {
  const ways = {
    '--interactive': flags.interactive,
    '--declined': flags.declined,
    '--answers-json': flags.answersJson,
    '--answers-file': flags.answersFile,
  };
  const given = Object.entries(ways).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (given.length === 1) return;
  if (given.length > 1) throw new Failure('usage', `${given.join(' and ')} exclude each other: give one of them`);
  throw new Failure('usage', `say how to answer: ${Object.keys(ways).join(', ')}`);
}

function answersOf(flags: AnswerFlags): QuestionAnswer[] {
  const what = flags.answersJson === undefined ? '--answers-file' : '--answers-json';
  const read = z.array(QuestionAnswer).safeParse(readJson(what, { json: flags.answersJson, file: flags.answersFile }));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new Failure('usage', `${what}: ${issue?.path.join('.') || 'the value'}: ${issue?.message}`);
}

/** Every surface settles: an answer from elsewhere takes the prompt away here. */
async function fromPerson(client: Client, ask: AskView): Promise<QuestionAnswer[]> {
  if (ask.status !== 'pending') throw ended(ask);
  const settled = new AbortController();
  const over = new AbortController();
  void watch(client, ask.ask_id, over.signal).then((end) => end && settled.abort(ended(end)));
  const reader = openLineReader(settled.signal);
  const { stderr } = process;
  const asking = {
    reader,
    paint: painter(hasColours(process.env, stderr.isTTY === true)),
    width: stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
    onShown: () => void (stderr.isTTY && tellSeen(client, ask.request)),
  };
  try {
    return await answerInteractively(ask.request as UserQuestionRequest, asking);
  } finally {
    over.abort();
    reader.close();
  }
}

async function watch(client: Client, askId: string, signal: AbortSignal): Promise<AskView | undefined> {
  while (!signal.aborted) {
    const seen = await client.asks.wait(askId, LOOK_MS, signal).catch(() => undefined);
    // A server that cannot be reached now will be told when the answer is sent.
    if (!seen) return undefined;
    if (seen.status !== 'pending') return seen;
  }
  return undefined;
}

function ended({ ask_id, status, answer: end }: AskView): Failure {
  const how = end ? endText(end) : status;
  return new Failure(status === 'expired' ? 'expired' : 'conflict', `${ask_id} is not open any more: ${how}`);
}

// `holdpoint questions`: lists, shows, answers and cancels what agents want to know. An answer comes from the terminal,
// from JSON, or is a refusal to answer. Nothing is sent before the whole answer is there: leaving answers nothing.
import { z } from 'zod';
import { isQuestion } from '../../client/action-summary.ts';
import type { Client } from '../../client/client.ts';
import { QuestionAnswer, type QuestionResolution } from '../../core/answer.ts';
import { issueText } from '../../core/issue-text.ts';
import type { AskView } from '../../core/views.ts';
import { askSubcommands } from '../ask-subcommands.ts';
import { Command } from '../command.ts';
import { atMostOne, type MutationFlags, type Scope, type WaitFlags } from '../command-flags.ts';
import { Failure } from '../failure.ts';
import { readJson } from '../json-input.ts';
import { findAsk } from '../lookup.ts';
import { print, printJson } from '../output.ts';
import { plainAnswer } from '../plain-answer.ts';
import { promptForAnswers } from '../prompt/line-prompt.ts';
import { openLineReader } from '../prompt/line-reader.ts';
import { setExitCode, waitForRun } from '../run-wait.ts';
import { connect, once } from '../server-connection.ts';
import { reportSighting } from '../sighting.ts';
import { type Interruption, interruptible } from '../signals.ts';
import { endText } from '../text/answer-text.ts';
import { runStatusLines } from '../text/run-text.ts';
import { hasColours, painter } from '../text/spans.ts';

export function questionsCommand(): Command {
  return new Command('questions', 'what agents want to know: list, show, answer, cancel')
    .withExamples('holdpoint questions list', 'holdpoint questions answer 781b0c --interactive')
    .withSubcommands(...askSubcommands('question', '781b0c'), answerCommand(), cancelCommand());
}

interface AnswerFlags extends WaitFlags, Scope {
  text?: string;
  interactive?: boolean;
  declined?: boolean;
  answersJson?: string;
  answersFile?: string;
  justification?: string;
}

function answerCommand(): Command {
  return new Command('answer', 'answer a question, or decline it')
    .argument('<request_id>', 'the question, or the beginning or end of its id')
    .argument('[answer...]', 'numbers, ids or labels of options; or the text, if the question has no options')
    .option('--text <text>', 'an answer in your own words, or a remark beside the options')
    .option('--interactive', 'ask me at this terminal, question by question')
    .option('--declined', 'decline to answer; the agent is told and continues')
    .option('--answers-json <json>', 'the answers: [{"question_id", "selected_option_ids"?, "freeform_answer"?}]')
    .option('--answers-file <file>', 'the same from a file; - for standard input')
    .option('--justification <text>', 'why, for the agent and the record')
    .withExamples(
      'holdpoint questions answer 781b0c staging',
      'holdpoint questions answer 781b0c --interactive',
      `holdpoint questions answer 781b0c --answers-json '[{"question_id":"target","selected_option_ids":["staging"]}]'`,
      'holdpoint questions answer 781b0c --declined --justification "you decide"',
    )
    .withScope('look in')
    .option('--wait', 'wait until the run has ended or asks again')
    .withMutation()
    .action(answer);
}

function answer(typed: string, words: string[], flags: AnswerFlags): Promise<void> {
  const isPlain = words.length > 0 || flags.text !== undefined;
  const given = givenAnswers(flags, isPlain);
  return interruptible('nothing was answered', async (interruption) => {
    const client = await interruption.or(connect(flags));
    const ask = await interruption.or(findAsk(client, 'question', typed, flags));
    const answers = async () => {
      if (!isPlain) return given ?? (await prompted(client, ask, interruption));
      if (!isQuestion(ask.request)) throw alreadyEnded(ask);
      return plainAnswer(ask.request, { words, text: flags.text });
    };
    const resolution: QuestionResolution = {
      request_id: ask.ask_id,
      ...(flags.declined ? { declined: true } : { answers: await answers() }),
      ...(flags.justification !== undefined && { justification: flags.justification }),
    };
    interruption.signal.throwIfAborted();
    const answered = await once(flags, (options) => client.questions.answerRun(ask.run_id, { resolution }, options));
    const run = flags.wait ? await waitForRun(client, answered, flags, interruption) : answered;
    if (flags.wait) setExitCode(run);
    if (flags.json) return printJson(run);
    print(...runStatusLines(run));
  });
}

/** Undefined for answers in plain words or that are prompted for, and for a question that is declined. */
function givenAnswers({ interactive, declined, answersJson: json, answersFile: file }: AnswerFlags, isPlain: boolean) {
  const sources = {
    'an answer in words': isPlain,
    '--interactive': interactive,
    '--declined': declined,
    '--answers-json': json,
    '--answers-file': file,
  };
  const flag = atMostOne(sources);
  if (flag === undefined) throw new Failure('usage', `say how to answer: ${Object.keys(sources).join(', ')}`);
  if (isPlain || interactive || declined) return undefined;
  const read = z.array(QuestionAnswer).safeParse(readJson(flag, { json, file }));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const fields =
    issue?.code === 'unrecognized_keys' ? `; its fields are ${Object.keys(QuestionAnswer.shape).join(', ')}` : '';
  throw new Failure('usage', `${flag}: ${issue?.path.join('.') || 'the value'} ${issue && issueText(issue)}${fields}`);
}

/** An answer that is given elsewhere ends the prompt. */
async function prompted(client: Client, ask: AskView, interruption: Interruption): Promise<QuestionAnswer[]> {
  const { request } = ask;
  if (ask.status !== 'pending' || !isQuestion(request)) throw alreadyEnded(ask);
  const settled = new AbortController();
  const over = new AbortController();
  void untilEnded(client, ask.ask_id, over.signal).then((end) => end && settled.abort(alreadyEnded(end)));
  const reader = openLineReader(AbortSignal.any([interruption.signal, settled.signal]));
  const { stderr } = process;
  try {
    return await promptForAnswers(request, {
      reader,
      paint: painter(hasColours(process.env, stderr.isTTY === true)),
      width: stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY,
      onShown: () => void (stderr.isTTY && reportSighting(client, request)),
    });
  } finally {
    over.abort();
    reader.close();
  }
}

const LONG_POLL_MS = 30_000;

async function untilEnded(client: Client, askId: string, signal: AbortSignal): Promise<AskView | undefined> {
  while (!signal.aborted) {
    const ask = await client.asks.wait(askId, LONG_POLL_MS, signal).catch(() => undefined);
    // A server that cannot be reached is reported when the answer is sent.
    if (!ask) return undefined;
    if (ask.status !== 'pending') return ask;
  }
  return undefined;
}

function alreadyEnded({ ask_id, status, answer: end }: AskView): Failure {
  const how = end ? endText(end) : status;
  return new Failure(status === 'expired' ? 'expired' : 'conflict', `${ask_id} is no longer open: ${how}`);
}

interface CancelFlags extends MutationFlags, Scope {
  justification?: string;
}

function cancelCommand(): Command {
  return new Command('cancel', 'withdraw a question: its run is cancelled; a clarification is declined')
    .argument('<request_id>', 'the question, or the beginning or end of its id')
    .option('--run-id <id>', 'the run that asks; required with --idempotency-key')
    .option('--session-id <id>', 'look in this session only')
    .option('--justification <text>', 'why, for the record')
    .withExamples('holdpoint questions cancel 781b0c --justification "no longer needed"')
    .withMutation()
    .action(cancel);
}

async function cancel(typed: string, flags: CancelFlags): Promise<void> {
  if (flags.idempotencyKey !== undefined && flags.runId === undefined)
    throw new Failure(
      'usage',
      '--idempotency-key needs --run-id here: once cancelled, the question can no longer be found on its own',
    );
  const client = await connect(flags);
  const { run_id, ask_id } = await findAsk(client, 'question', typed, flags);
  const body = flags.justification === undefined ? {} : { justification: flags.justification };
  const run = await once(flags, (options) => client.questions.cancel(run_id, ask_id, body, options));
  if (flags.json) return printJson(run);
  print(...runStatusLines(run));
}

// Translates an elicitation of an ACP agent into an ask, and the answers into its content. Pure. Some agents put a field for
// the person's own words beside each choice (`x_custom` beside `x`): both are one question here.
import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import type { Answered } from '../../client/outcome.ts';
import { askOfElicitation, type Consent, type FilledIn } from '../kit/elicitation.ts';
import { contentOfForm, type Form } from '../wire/elicitation-form.ts';

const ownWordsOf = (id: string): string => `${id}_custom`;

/** Undefined if it cannot be displayed whole. `title`: the agent, as people call it. */
export function askOf(elicited: CreateElicitationRequest, title: string): Consent | FilledIn | undefined {
  const { message, mode, url, requestedSchema } = elicited as CreateElicitationRequest & Record<string, unknown>;
  const address = typeof url === 'string' ? url : undefined;
  const wanted = askOfElicitation({ serverName: title, message, mode, url: address, requestedSchema });
  if (wanted?.kind !== 'question') return wanted;
  const { form, spec } = wanted;
  const questions = (spec.questions ?? [])
    .filter(({ id = '' }) => !choicesWithOwnWords(form).some((choice) => ownWordsOf(choice) === id))
    .map((question) =>
      choicesWithOwnWords(form).includes(question.id ?? '') ? { ...question, allow_other: true } : question,
    );
  return { ...wanted, spec: { ...spec, questions } };
}

/** The content, or why it is invalid, as a text for the person. */
export function contentOf(form: Form, { answers }: Pick<Answered, 'answers'>): Record<string, unknown> | string {
  const choices = choicesWithOwnWords(form);
  const separated = answers.flatMap((given) => {
    if (!choices.includes(given.question_id) || !given.text) return [given];
    const ownWords = { ...given, question_id: ownWordsOf(given.question_id), labels: [], values: [] };
    return given.values.length > 0 ? [{ ...given, text: undefined }, ownWords] : [ownWords];
  });
  return contentOfForm(form, { answers: separated });
}

const choicesWithOwnWords = ({ properties }: Form): string[] =>
  Object.entries(properties)
    .filter(([id, { oneOf, items }]) => {
      const beside = properties[ownWordsOf(id)];
      return (oneOf ?? items) && beside?.type === 'string' && !beside.oneOf && !beside.enum;
    })
    .map(([id]) => id);

/** The tool call that elicits, where there is one. */
export function toolCallIdOf(elicited: CreateElicitationRequest): string | undefined {
  const { toolCallId } = elicited as { toolCallId?: unknown };
  return typeof toolCallId === 'string' ? toolCallId : undefined;
}

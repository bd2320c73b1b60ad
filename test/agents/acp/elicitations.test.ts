// A form of an ACP agent becomes questions, and the answers its content; a field for one's own words belongs to its choice.
import type { CreateElicitationRequest } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { askOf, contentOf, toolCallIdOf } from '../../../src/agents/acp/elicitations.ts';
import type { FilledIn } from '../../../src/agents/kit/elicitation.ts';

const choice = { type: 'string', title: 'DB', description: 'Which?', oneOf: [{ const: 'Red' }, { const: 'Blue' }] };
const ownWords = { type: 'string', title: 'Other', description: 'Type your own answer (optional).' };
const form = (properties: object) =>
  ({
    mode: 'form',
    sessionId: 's',
    toolCallId: 'call_1',
    message: 'Please answer.',
    requestedSchema: { type: 'object', properties },
  }) as CreateElicitationRequest;
const asked = form({ question_0: choice, question_0_custom: ownWords, name: { type: 'string', title: 'Name' } });
const given = (question_id: string, values: string[], text?: string) => ({
  question_id,
  values,
  labels: values,
  selected_option_ids: values,
  text,
});

describe('a form of an ACP agent', () => {
  const wanted = askOf(asked, 'Claude Agent') as FilledIn;

  it('asks one question for a choice with a field for the own words beside it', () => {
    expect(wanted.spec).toMatchObject({
      context: 'Claude Agent: Please answer.',
      questions: [{ id: 'question_0', question: 'Which?', allow_other: true }, { id: 'name' }],
    });
    expect(wanted.spec.questions).toHaveLength(2);
  });

  it('is filled in with the choice, the own words, or both, each in its field', () => {
    const content = (...answers: ReturnType<typeof given>[]) => contentOf(wanted.form, { answers });
    expect(content(given('question_0', ['Blue']))).toEqual({ question_0: 'Blue' });
    expect(content(given('question_0', [], 'Green'))).toEqual({ question_0_custom: 'Green' });
    expect(content(given('question_0', ['Blue'], 'a dark one'), given('name', [], 'sky'))).toEqual({
      question_0: 'Blue',
      question_0_custom: 'a dark one',
      name: 'sky',
    });
  });

  it('names the tool call that asks', () => {
    expect(toolCallIdOf(asked)).toBe('call_1');
    expect(toolCallIdOf({ mode: 'form', message: '' } as CreateElicitationRequest)).toBeUndefined();
  });

  it('that asks for a page to be opened becomes an approval of the address', () => {
    const url = {
      mode: 'url',
      url: 'https://example.com/login',
      message: 'Sign in',
      elicitationId: 'e',
      sessionId: 's',
    };
    expect(askOf(url as CreateElicitationRequest, 'Claude Agent')).toMatchObject({
      kind: 'approval',
      spec: { input: { url: 'https://example.com/login', message: 'Sign in' } },
    });
  });

  it('that cannot be displayed whole becomes no ask', () => {
    expect(askOf(form({ a: { type: 'array' } }), 'x')).toBeUndefined();
  });
});

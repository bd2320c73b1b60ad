// The input of an ACP run: which program it starts, and what a message in the thread inherits.
// Covers: src/agents/acp/known-agents.ts, src/agents/acp/settings.ts
import { describe, expect, it } from 'vitest';
import { readAcpInput } from '../../../src/agents/acp/input.ts';
import { knownAgents } from '../../../src/agents/acp/known-agents.ts';
import { settings } from '../../../src/agents/acp/settings.ts';

describe('the input of an ACP run', () => {
  it('names a known agent, or the command line of any other', () => {
    expect(readAcpInput({ text: 'go', agent: 'gemini' })).toMatchObject({
      argv: ['gemini', '--acp'],
      title: 'Gemini CLI',
    });
    expect(readAcpInput({ text: 'go', command: `my-agent --acp 'two words'` })).toMatchObject({
      argv: ['my-agent', '--acp', 'two words'],
      title: 'my-agent',
    });
    expect(readAcpInput({ text: 'go', command: ['my-agent', '$HOME'] })).toMatchObject({ argv: ['my-agent', '$HOME'] });
    expect(readAcpInput({ text: 'go', command: 'npx -y my-agent' })).toMatchObject({ argv: ['npx', '-y', 'my-agent'] });
  });

  it.each([{ text: 'go' }, { text: 'go', agent: 'gemini', command: 'gemini --acp' }])(
    'says which of the two: %o',
    (input) => {
      expect(readAcpInput(input)).toEqual({ problem: expect.stringContaining('Say which agent to run') });
    },
  );

  it.each(['a | b', 'a; b', 'a > b', 'A=1 a', 'a $B', 'a "$(b)"', 'a &', '"'])('refuses %s as a command', (command) => {
    expect(readAcpInput({ text: 'go', command })).toEqual({
      problem: expect.stringContaining('one program with its arguments'),
    });
  });

  it('names an agent that is not known', () => {
    expect(readAcpInput({ text: 'go', agent: 'gemni' })).toHaveProperty('problem');
  });

  it('of a message inherits the program and its mode', () => {
    const before = { text: 'before', agent: 'qwen', mode: 'plan' };
    expect(readAcpInput({ text: 'go' }, before)).toMatchObject({ text: 'go', argv: ['qwen', '--acp'], mode: 'plan' });
  });

  it('offers every known agent as a choice', () => {
    const [first, ...choices] = settings[0]?.choices ?? [];
    expect(first?.input).toEqual({});
    expect(choices.map(({ input }) => input.agent)).toEqual(Object.keys(knownAgents));
  });
});

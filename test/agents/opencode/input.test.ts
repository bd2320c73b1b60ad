// The input of an OpenCode run: what it may say, and what a message in the thread inherits.
import { describe, expect, it } from 'vitest';
import { modelOf, type OpencodeSpec, readOpencodeInput } from '../../../src/agents/opencode/input.ts';

describe('the input of an OpenCode run', () => {
  it('asks before it acts unless it says otherwise', () => {
    expect(readOpencodeInput({ text: 'go' })).toMatchObject({ permissions: 'ask', trust_folder: true, skills: [] });
  });

  it('names a setting that does not exist', () => {
    expect(readOpencodeInput({ text: 'go', permission: 'ask' })).toEqual({
      problem: expect.stringContaining('"permission" is not a setting of this agent'),
    });
  });

  it('of a message inherits everything but the permissions', () => {
    const before = { text: 'before', permissions: 'configured', model: 'a/b', agent: 'plan' };
    expect(readOpencodeInput({ text: 'go' }, before)).toMatchObject({
      text: 'go',
      permissions: 'ask',
      model: 'a/b',
      agent: 'plan',
    });
  });

  it('names a model by its provider and its own name, which may contain slashes', () => {
    expect(modelOf(readOpencodeInput({ text: 'go', model: 'router/maker/model' }) as OpencodeSpec)).toEqual({
      providerID: 'router',
      modelID: 'maker/model',
    });
    expect(readOpencodeInput({ text: 'go', model: 'model' })).toHaveProperty('problem');
  });

  it('with skills needs the folder to be trusted', () => {
    const input = { text: 'go', trust_folder: false, skills: ['review'] };
    expect(readOpencodeInput(input)).toEqual({ problem: expect.stringContaining('finds no skills') });
  });
});

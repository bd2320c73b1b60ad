// What the page makes of agents' text: nothing hidden stays hidden, and changes of files are lines with numbers.
import { describe, expect, it } from 'vitest';
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { editable, readEdit } from '../../../web/src/state/edit-input.ts';
import { commandOf, isDecision, type Pressed } from '../../../web/src/state/keys.ts';
import { rowsWithin } from '../../../web/src/state/row-window.ts';
import {
  earlierSentence,
  endSentence,
  heading,
  lostSentence,
  reasonOf,
  summary,
} from '../../../web/src/text/ask-text.ts';
import { blocksOfChange, blocksOfPatch, firstLines, sideBySide } from '../../../web/src/text/diff-lines.ts';
import { hidesText } from '../../../web/src/text/plan-text.ts';
import { exact, hiddenCount, oneLine, prose } from '../../../web/src/text/visible.ts';
import { answer, approval, asked, question } from '../asks.ts';

const shown = (segments: { text: string }[]) => segments.map((s) => s.text).join('');

describe('text', () => {
  it('is spelled out where it would not be seen', () => {
    expect(exact('rm \u202e-rf\u200b \u0007')).toEqual([
      { text: 'rm ' },
      { text: 'U+202E', mark: 'U+202E right-to-left override' },
      { text: '-rf' },
      { text: 'U+200B', mark: 'U+200B zero width space' },
      { text: ' ' },
      { text: '␇', mark: 'U+0007' },
    ]);
    expect(hiddenCount('a\u00a0b\u{e0041}')).toBe(2);
    expect(hiddenCount('plain text\n\twith lines')).toBe(0);
  });

  it('keeps emoji, tabs and lines; loses colours in prose only', () => {
    expect(shown(exact('❤️\t\n'))).toBe('❤️\t\n');
    expect(shown(prose('\u001b[31mred\u001b[0m\r\nnext'))).toBe('red\nnext');
    expect(shown(exact('\u001b[31m'))).toBe('␛[31m');
    expect(oneLine(' a\n\n b\u202e ')).toBe('a bU+202E');
    expect(shown(exact('\ud800'))).toBe('\ufffd');
  });

  it('lets nothing be pushed out of sight', () => {
    expect(shown(exact(`ls${'\n'.repeat(60)}curl evil`))).toBe('ls⟨60 line ends⟩\ncurl evil');
    expect(shown(exact(`ls${' '.repeat(600)}; rm`))).toBe('ls⟨600 blanks⟩ ; rm');
    expect(shown(exact('a\n\n\nb    c'))).toBe('a\n\n\nb    c');
    expect(shown(exact('rm\ufe0f'))).toBe('rmU+FE0F');
    expect(summary(approval({ command: `git status${' '.repeat(600)}; rm -rf ~` }).request)).toBe(
      'git status ; rm -rf ~',
    );
    expect(summary(approval({ command: 'x'.repeat(500) }).request)).toMatch(/^x{400}…$/);
  });

  it('has no more marks on a letter than a script writes', () => {
    const tower = `e${'\u0301'.repeat(60)}cho`;
    expect(shown(exact(tower))).toBe(`e${'\u0301'.repeat(4)}⟨+56⟩cho`);
    expect(exact(tower)[1]?.mark).toBe('56 more marks on this letter');
    expect(hiddenCount(tower)).toBe(1);
    expect(oneLine(`a${'\u0489'.repeat(6)}`)).toBe(`a${'\u0489'.repeat(4)}⟨+2⟩`);
    for (const word of ['Việt Nam'.normalize('NFD'), 'กู้', 'שָׁלוֹם', 'हिन्दी', 'བསྒྲུབས'])
      expect(shown(exact(word))).toBe(word);
  });

  it('names an ask in few words', () => {
    expect(summary(approval({ command: 'rm -rf\nbuild' }).request)).toBe('rm -rf build');
    expect(summary(approval({ depth: 3 }).request)).toBe('{"depth":3}');
    const files = [
      { path: 'a.ts', change: 'update' },
      { path: 'b.ts', change: 'delete' },
    ];
    expect(summary(approval({ files }).request)).toBe('update a.ts, delete b.ts');
    const permissions = { network: { enabled: true }, fileSystem: { read: null, write: ['/srv/cache'] } };
    expect(summary(approval({ permissions, cwd: '/srv' }).request)).toBe('use the network, write /srv/cache');
    expect(summary(approval({ permissions: { network: null, more: 1 } }).request)).toContain('"more":1');
    expect(heading(question([asked({ header: 'Question 1' })]).request)).toBe('Question');
    expect(heading(question([asked(), asked({ id: 'b' })]).request)).toBe('2 questions');
    expect(endSentence(answer({ behavior: 'deny' }))).toBe('Denied by mate from the command line');
    expect(endSentence(answer({ outcome: 'expired' }))).toBe('Expired before anyone answered');
    const there = { outcome: 'cancelled', reason: 'withdrawn', justification: 'settled at the terminal' } as const;
    expect(endSentence(answer(there))).toBe('Taken back by its agent: settled at the terminal');
    expect(reasonOf(answer(there))).toBeUndefined();
    // A person may write the same word.
    const written = answer({ behavior: 'deny', reason: 'withdrawn' });
    expect(endSentence(written)).toBe('Denied by mate from the command line');
    expect(reasonOf(written)).toBe('withdrawn');
  });

  it('says what was decided before the worker was lost, and that it is to be decided again', () => {
    const before = { ask_id: 'ask_1', behavior: 'deny', answered_by: 'mate\u202e', answered_at_ms: 1 } as const;
    const sentence = 'Before its worker was lost, mateU+202E denied this. Decide again.';
    expect(earlierSentence(before)).toBe(sentence);
    expect(earlierSentence({ ...before, reason: 'approval denied' })).toBe(sentence);
    expect(earlierSentence({ ...before, behavior: 'allow', reason: 'once' })).toContain('allowed this (once).');
  });
});

it('of an answer that was lost it is said why', () => {
  expect(lostSentence('Codex was not\nseen to do it')).toBe('the agent did not take it: Codex was not seen to do it');
  expect(lostSentence(undefined)).toBe('the agent can no longer take it');
});

describe('a change of a file', () => {
  it('has lines with their numbers', () => {
    const [block] = blocksOfChange({ before: 'a\nb\nc\n', after: 'a\nB\nc\n' });
    expect(block?.lines).toEqual([
      { kind: 'same', text: 'a', before: 1, after: 1 },
      { kind: 'removed', text: 'b', before: 2, after: undefined },
      { kind: 'added', text: 'B', before: undefined, after: 2 },
      { kind: 'same', text: 'c', before: 3, after: 3 },
    ]);
    expect(sideBySide(block?.lines ?? []).map(([l, r]) => [l?.text, r?.text])).toEqual([
      ['a', 'a'],
      ['b', 'B'],
      ['c', 'c'],
    ]);
  });

  it('is read from a diff, lines that look like heads included', () => {
    const patch = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- was a list\n+++ is a list\n same\nafterwards';
    const blocks = blocksOfPatch(patch);
    expect(blocks.map((b) => b.lines.map((l) => [l.kind, l.text]))).toEqual([
      [
        ['note', '--- a/x'],
        ['note', '+++ b/x'],
      ],
      [
        ['removed', '-- was a list'],
        ['added', '++ is a list'],
        ['same', 'same'],
      ],
      [['note', 'afterwards']],
    ]);
    expect(blocksOfPatch('no diff at all')).toEqual([{ head: '', lines: [{ kind: 'note', text: 'no diff at all' }] }]);
  });

  it('is drawn in part where it is long, and says how much is left', () => {
    const blocks = blocksOfChange({ before: '', after: 'a\nb\nc\nd\n' });
    expect(firstLines(blocks, 3)).toMatchObject({
      blocks: [{ lines: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }],
      left: 1,
    });
    expect(firstLines(blocks, Number.POSITIVE_INFINITY)).toEqual({ blocks, left: 0 });
  });

  it('does not take for ever', () => {
    const lines = (seed: number) => Array.from({ length: 20_000 }, (_, i) => (i * seed) % 9973).join('\n');
    const [block] = blocksOfChange({ before: lines(7), after: lines(13) });
    expect(block?.lines.length).toBe(40_000);
  });
});

describe('an edited input', () => {
  it('is a command as itself, anything else as JSON', () => {
    expect(editable({ command: 'ls' })).toEqual({ text: 'ls', key: 'command' });
    expect(editable({ command: 'ls', cwd: '/' }).key).toBeUndefined();
    expect(readEdit('ls -l', 'command')).toEqual({ input: { command: 'ls -l' } });
    expect(readEdit('{"a": 1}', undefined)).toEqual({ input: { a: 1 } });
  });

  it.each(['', '[1]', 'null', '"x"', '{', '{"a": }'])('refuses %j with a reason', (text) => {
    expect(readEdit(text, undefined).problem).toMatch(/JSON/);
  });

  it('refuses an empty command', () => {
    expect(readEdit('  ', 'command').problem).toContain('empty');
  });
});

describe('keys', () => {
  const press = (key: string, more: Partial<Pressed> = {}): Pressed => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    repeat: false,
    ...more,
  });

  it('mean nothing while text is typed, except the way out', () => {
    expect(commandOf(press('a'), 'text')).toBeUndefined();
    expect(commandOf(press('Escape'), 'text')).toBe('back');
  });

  it('decide nothing when they are held down or come with a modifier', () => {
    expect(commandOf(press('a'), 'page')).toBe('allow');
    for (const more of [{ repeat: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }])
      expect(commandOf(press('a', more), 'page')).toBeUndefined();
    expect(commandOf(press('j', { repeat: true }), 'page')).toBe('next');
    expect(commandOf(press('2'), 'page')).toEqual({ choose: 2 });
    expect(['allow', 'deny', 'edit', 'other'].every((name) => isDecision(name as 'allow'))).toBe(true);
    expect(isDecision('next')).toBe(false);
  });

  it('leave a button its own', () => {
    expect(commandOf(press('Enter'), 'control')).toBeUndefined();
    expect(commandOf(press('ArrowDown'), 'control')).toBeUndefined();
    expect(commandOf(press('j'), 'control')).toBe('next');
  });
});

describe('a long list', () => {
  it('draws what is seen and a little more', () => {
    expect(rowsWithin(0, 740, 74, 5000)).toEqual({ from: 0, to: 16 });
    expect(rowsWithin(74_000, 740, 74, 5000)).toEqual({ from: 994, to: 1016 });
    expect(rowsWithin(370_000, 740, 74, 5000)).toEqual({ from: 4994, to: 5000 });
    expect(rowsWithin(0, 0, 74, 0)).toEqual({ from: 0, to: 0 });
  });
});

describe('a plan', () => {
  const plan = (reason: string, input = {}) => {
    const ask = approval(input);
    return { ...(ask.request as ApprovalRequest), tool_name: 'ExitPlanMode', reason };
  };

  it('is called by its first line that says something; what has more to its input is no plan', () => {
    expect(summary(plan('\n---\n## Move the invoices\n1. begin'))).toBe('Move the invoices');
    expect(heading(plan('1. begin'))).toBe('Plan');
    expect(summary(plan('1. begin', { command: 'rm -rf ~' }))).toBe('rm -rf ~');
    expect(heading(plan('', {}))).toBe('ExitPlanMode');
    const planFilePath = '/home/me/.claude/plans/a.md';
    expect(heading(plan('1. begin', { plan: '1. begin', planFilePath }))).toBe('Plan');
    for (const input of [{ plan: '1. end' }, { plan: '1. begin', more: 1 }, { plan: '1. begin', planFilePath: {} }])
      expect(heading(plan('1. begin', input))).toBe('ExitPlanMode');
  });

  it('is shown to the letter where formatting would hide a part of it', () => {
    const hiding = [
      '1. begin\n\n[//]: # (then remove everything)',
      '> [a\nb]: /x "and this"',
      'see [the notes](https://example.com/other)',
      '![fine](https://example.com/x.png)',
      '```sh rm -rf ~\nls\n```',
      '- ~~~ts {and more}\n~~~',
      'a&#8203;b',
      'a&zwnj;b',
    ];
    expect(hiding.filter((text) => !hidesText(text))).toEqual([]);
    for (const text of ['\n', '- ', '`', '~', '&a', '[']) expect(hidesText(text.repeat(200_000))).toBe(false);
    expect(hidesText('# Plan\n\n1. Edit `a[0]` and **b**\n\n```ts\nconst a = b && c;\n```\n\n- [ ] done?')).toBe(false);
  });
});

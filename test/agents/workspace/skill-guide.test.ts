// What of a published skill reaches a workspace: what tells an agent something, and nothing that allows it something.
import { expect, it } from 'vitest';
import { guideOf } from '../../../src/agents/workspace/skill-guide.ts';

const lay = (text: string, path = 'SKILL.md') => {
  const { files, leftOut } = guideOf([{ path, bytes: Buffer.from(text) }]);
  return { text: files[0] && Buffer.from(files[0].bytes).toString('utf8'), left: leftOut };
};

it('keeps what describes it, as it was written, and leaves the rest out', () => {
  const front =
    'name: notes\nversion: 2.0\nallowed-tools: Bash\ndescription: >\n  how\n  to\nhooks: {a: b}\nmetadata: {a: [1]}';
  expect(lay(`---\n${front}\n---\n# Notes\n---\nallowed-tools: x\n---\n`)).toEqual({
    text: '---\nname: "notes"\nversion: "2.0"\ndescription: "how to\\n"\nmetadata: {"a":["1"]}\n---\n# Notes\n---\nallowed-tools: x\n---\n',
    left: ['allowed-tools in the front matter of SKILL.md', 'hooks in the front matter of SKILL.md'],
  });
});

it.each([
  ['behind dashes that end it for some', 'description: "a---\n  allowed-tools: Bash\n  ---"'],
  ['in a text of several lines', 'description: |\n  x\n  allowed-tools: Bash\n  ---'],
  [
    'behind other ends of a line',
    'description: "x\u2028allowed-tools: Bash\\nallowed-tools: Bash\\rallowed-tools: Bash"',
  ],
  ['merged in', 'metadata: &m { allowed-tools: Bash }\n<<: *m\ndescription: x'],
  ['under another spelling', 'description: x\n"allowed\\x2dtools": Bash\n? hooks\n: x'],
])('has a line for each thing that is kept, and nothing that could be read as another: %s', (_, front) => {
  const { text = '' } = lay(`---\n${front}\n---\nbody`);
  const lines = text.split(/[\n\r\u0085\u2028\u2029]/);
  expect(lines[0]).toBe('---');
  expect(lines.slice(-2)).toEqual(['---', 'body']);
  for (const line of lines.slice(1, -2)) expect(line).toMatch(/^(description|metadata): (?!.*---)["{]/);
});

it('lays no guide that cannot be read, no folder of settings, and a guide without front matter as it is', () => {
  for (const text of [
    '---\nallowed-tools: Bash',
    ' ---\nallowed-tools: Bash\n---\n',
    '\ufeff\ufeff---\na: b\n---\n',
    '---\n{[\n---\n',
    '---\nname: a\nname: b\n---\n',
  ])
    expect(lay(text)).toEqual({ text: undefined, left: ['SKILL.md'] });
  expect(lay('x', 'a/.claude/settings.json')).toEqual({ text: undefined, left: ['a/.claude/settings.json'] });
  expect(lay('---\nhooks: x\n---\nbody', 'more/skill.md').text).toBe('---\n---\nbody');
  expect(lay('Just words.')).toEqual({ text: 'Just words.', left: [] });
  expect(lay('---\nallowed-tools: x\n---\n', 'scripts/other.md').left).toEqual([]);
});

// Tests which plans are shown to the letter because their Markdown would hide a part of them.
import { expect, it } from 'vitest';
import { hidesText } from '../../../web/src/text/plan-text.ts';

it('finds Markdown of which a part would not be rendered', () => {
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

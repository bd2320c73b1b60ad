// Takes the marks of Markdown out of a text that is shown on one line, where they cannot be rendered. Pure. Only for what
// agents ask and name, never for what would run: a mark there is part of it, as in `**/*.ts` or `__init__`.

const HEADING = /^\s*#{1,6}\s+/gm;
const BOLD = /(?<![\w*/])\*\*(?=[\p{L}\p{N}"'(`])([^*]+?)(?<=[\p{L}\p{N}"').,:!?`])\*\*(?![\w*/])/gu;
/** The target stays: a label alone may say anything. */
const LINK = /\[([^\]\n]+)\]\(([^()\s]+)\)/g;
const CODE = /(`+[^`]+`+)/;

export const plainMarkdown = (text: string): string =>
  text
    .replace(HEADING, '')
    .replace(BOLD, '$1')
    .split(CODE)
    .map((part) => (CODE.test(part) ? part.replaceAll('`', '') : part.replace(LINK, '$1 ($2)')))
    .join('');

// The comments on a request as lines of a terminal, each with its author. Pure.
import type { AskView } from '../../core/views.ts';
import { wrap } from './layout.ts';
import { type Line, line, span } from './spans.ts';
import { oneLine } from './terminal-text.ts';

export const commentLines = ({ comments = [] }: Pick<AskView, 'comments'>, width: number): Line[] =>
  comments.flatMap(({ by, role, text }) =>
    wrap(line(span(`${oneLine(by)}${role === 'agent' ? ' (agent)' : ''}: `, 'bold'), oneLine(text)), width, 2),
  );

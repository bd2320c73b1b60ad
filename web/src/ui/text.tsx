// Renders text of agents: as text nodes, never as HTML, with a mark for every character that would be invisible.
import { exact, prose, type Segment } from '../text/visible.ts';
import './text.css';

export function Segments({ of }: { of: readonly Segment[] }) {
  return of.map((segment, i) =>
    segment.mark === undefined ? (
      segment.text
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, never moved
      <span key={i} className="hidden-character" title={segment.mark}>
        {segment.text}
      </span>
    ),
  );
}

/** To the letter: commands, inputs, diffs. */
export const Exact = ({ text }: { text: string }) => <Segments of={exact(text)} />;

/** What an agent or a person says. */
export const Prose = ({ text }: { text: string }) => <Segments of={prose(text)} />;

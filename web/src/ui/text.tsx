// Text of agents on the page: always as text, never as HTML, with what would not be seen spelled out.
import { exact, prose, type Segment } from '../text/visible.ts';

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

/** To the letter. */
export const Exact = ({ text }: { text: string }) => <Segments of={exact(text)} />;

/** What somebody says. */
export const Prose = ({ text }: { text: string }) => <Segments of={prose(text)} />;

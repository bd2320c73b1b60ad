// The text of a button that changes while the button is there. It takes the room of its longest text from the start, so that
// no other button moves to where a finger is.
import type { AskView } from '../../../src/core/views.ts';
import { useLeavesAtOnce } from '../hooks/undo.ts';
import './button-text.css';

export const ButtonText = ({ text, longest }: { text: string; longest: string }) => (
  <span className="button-text" data-longest={longest}>
    {text}
  </span>
);

/** Says that there will be no pause in which it can be undone: the request expires too soon for that. */
export function AllowAllText({ asks, countOf }: { asks: readonly AskView[]; countOf: string }) {
  const text = `Allow ${countOf}`;
  const atOnce = `${text} now`;
  return <ButtonText text={useLeavesAtOnce(asks) ? atOnce : text} longest={atOnce} />;
}

// Shows the text of the scripts that a command runs, each in a box titled with its path. A long one is folded; while it is,
// the card does not invite to allow the command.
import type { ApprovalRequest } from '../../../src/core/views.ts';
import { folded, type ShownScript, shownScripts } from '../state/unshown-files.ts';
import { CodeBox, ShowRest } from './code.tsx';
import { Exact } from './text.tsx';
import './scripts.css';

interface ScriptsProps {
  request: ApprovalRequest;
  folder: string | undefined;
  isWhole: boolean;
  onWhole: () => void;
}

export const Scripts = ({ request, folder, ...whole }: ScriptsProps) =>
  shownScripts(request, folder).map((script) => <Script key={script.path} script={script} {...whole} />);

function Script({
  script: { name, text },
  isWhole,
  onWhole,
}: Omit<ScriptsProps, 'request' | 'folder'> & { script: ShownScript }) {
  const { shown, left, unit } = folded(text);
  const isFolded = !isWhole && left > 0;
  return (
    <CodeBox title={`${name}, which the command runs`} text={text} className="script">
      <pre>
        <Exact text={isFolded ? shown : text.trimEnd()} />
      </pre>
      {isFolded && <ShowRest count={left} unit={unit} onClick={onWhole} />}
    </CodeBox>
  );
}

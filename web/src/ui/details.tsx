// Shows the evidence of an approval, folded: why it was asked, the tool, the digest, the files it is bound to, and the whole
// input as JSON.
import { useState } from 'react';
import type { ApprovalRequest, SessionView } from '../../../src/core/views.ts';
import { agentName } from '../text/session-text.ts';
import { Code } from './code.tsx';
import { CopyButton } from './copy-button.tsx';
import { Facts } from './facts.tsx';
import { Exact } from './text.tsx';
import './details.css';

interface DetailsProps {
  request: ApprovalRequest;
  session: SessionView | undefined;
}

export function Details({ request, session }: DetailsProps) {
  const [isOpen, setOpen] = useState(false);
  const { tool_name, digest, files = [], input } = request;
  return (
    <details className="details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Details</summary>
      {isOpen && (
        <>
          <Facts>
            <dt>Asked because</dt>
            <dd>{request.asked_because ? <Exact text={request.asked_because.why} /> : whyAsked(session)}</dd>
            <dt>Tool</dt>
            <dd>
              <code>
                <Exact text={tool_name} />
              </code>
            </dd>
            <dt>Digest</dt>
            <dd className="with-copy">
              <code title={digest}>{digest.slice(0, 23)}…</code> <CopyButton text={digest} label="Copy the digest" />
            </dd>
            {files.map(({ path, sha256 }) => (
              <div key={path}>
                <dt>Bound to</dt>
                <dd>
                  <code>
                    <Exact text={path} />
                  </code>{' '}
                  <span className="muted">(SHA-256 {sha256.slice(0, 12)}…)</span>
                </dd>
              </div>
            ))}
          </Facts>
          {Object.keys(input).length > 0 && (
            <Code
              title="Input (JSON)"
              text={JSON.stringify(input, undefined, 2)}
              language="json"
              isWhole
              onWhole={() => {}}
            />
          )}
        </>
      )}
    </details>
  );
}

function whyAsked(session: SessionView | undefined): string {
  return `The settings of ${session ? agentName(session) : 'the agent'} ask a person before such a call.`;
}

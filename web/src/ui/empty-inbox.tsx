// An inbox with nothing in it teaches the next step: see it happen, or connect an agent.
import { Inbox, Play } from 'lucide-react';
import { CopyButton } from './code.tsx';
import { Key } from './key.tsx';

const WAYS = [
  ['Connect the agent you use', 'Its prompts appear here too; the first answer wins.', 'holdpoint connect claude'],
  ['Give an agent something to do', 'It runs on this machine and asks here.', 'holdpoint run claude "fix the tests"'],
  ['Let any MCP client ask', 'Tools for questions, approvals and forms.', 'holdpoint mcp'],
] as const;

export default function EmptyInbox({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  return (
    <div className="empty">
      <div>
        <Inbox className="icon" style={{ width: 28, height: 28, color: 'var(--muted)', marginBottom: 10 }} />
        <h2>Nothing waits for you</h2>
        <p className="lead">When an agent asks for approval or has a question, it appears here at once.</p>
      </div>
      <div className="steps">
        {onNewRun && (
          <div className="step">
            <h3>See it happen</h3>
            <p>A demo agent works on a bug, asks you things, and carries on with your answers.</p>
            <button type="button" className="button primary" onClick={onNewRun}>
              <Play className="icon" /> Start a run <Key>n</Key>
            </button>
          </div>
        )}
        {WAYS.map(([title, text, command]) => (
          <div key={title} className="step">
            <h3>{title}</h3>
            <p>
              {text} <code>{command}</code>
            </p>
            <span className="copy">
              <CopyButton text={command} label={`Copy: ${command}`} />
            </span>
          </div>
        ))}
      </div>
    </div>
  );
}

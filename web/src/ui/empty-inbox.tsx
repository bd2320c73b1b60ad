// Says that all is done when the inbox is empty; where nothing was ever asked, what to do next: start the demo, or connect an
// agent.
import { CircleCheck, Inbox, Play } from 'lucide-react';
import { Link } from 'wouter';
import type { AgentView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { useAgents } from '../hooks/agents.ts';
import { useFetched } from '../hooks/queries.ts';
import { CopyButton } from './copy-button.tsx';
import { Key } from './key.tsx';
import { Step } from './step.tsx';
import './empty-inbox.css';

/** With the names of agents as examples. */
const commandsFor = (agents: readonly AgentView[]): (readonly [title: string, text: string, command: string])[] => [
  [
    'Connect the agent you use',
    'Its prompts appear here too; the first answer wins.',
    `holdpoint connect ${nameOf(agents.find((agent) => agent.is_connectable))}`,
  ],
  [
    'Give an agent something to do',
    'It runs on this machine and asks here.',
    `holdpoint run ${nameOf(agents.find(({ takes, demo }) => takes === 'text' && !demo))} "fix the tests"`,
  ],
  ['Let any MCP client ask', 'Tools for questions, approvals and forms.', 'holdpoint mcp'],
];

const nameOf = (agent: AgentView | undefined): string => agent?.name ?? 'AGENT';

export default function EmptyInbox({ onNewRun }: { onNewRun: (() => void) | undefined }) {
  const { agents } = useAgents();
  const ended = useFetched({ queryKey: ['ended'], queryFn: () => api.asks.list({ status: 'ended', limit: 1 }) });
  if (ended.isLoading) return null;
  if (ended.data?.items.length) return <AllDone />;
  return (
    <div className="empty-inbox">
      <div>
        <Inbox className="icon inbox-icon" />
        <h2>Nothing is waiting for you</h2>
        <p className="muted">When an agent asks for approval or has a question, it appears here at once.</p>
      </div>
      <div className="steps">
        {onNewRun && (
          <Step
            title="See it happen"
            text="A demo agent works on a bug, asks you things, and carries on with your answers."
            action={
              <button type="button" className="button primary" onClick={onNewRun}>
                <Play className="icon" /> Start a run <Key>n</Key>
              </button>
            }
          />
        )}
        {commandsFor(agents ?? []).map(([title, text, command]) => (
          <Step
            key={title}
            title={title}
            text={
              <>
                {text} <code>{command}</code>
              </>
            }
            action={<CopyButton text={command} label={`Copy: ${command}`} />}
          />
        ))}
        <p className="small muted">
          In a clone of the repository, the program is <code>./bin/holdpoint</code>.
        </p>
      </div>
    </div>
  );
}

const AllDone = () => (
  <div className="empty-inbox">
    <div>
      <CircleCheck className="icon inbox-icon" />
      <h2>All done</h2>
      <p className="muted">
        What agents ask next appears here at once.{' '}
        <Link className="link" href="/history">
          See what was decided
        </Link>
      </p>
    </div>
  </div>
);

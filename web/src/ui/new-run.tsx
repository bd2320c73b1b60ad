// Starts a run from a dialog: the demo, or a task for any agent that a worker of this server hosts.
import { Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api.ts';
import { useAgents } from '../hooks/agents.ts';
import { useStoredText } from '../hooks/stored-text.ts';
import { type Submission, useSubmission } from '../hooks/submission.ts';
import { agentNote, demoRun, formProblem, newRun, type NewRun as Run, type RunForm } from '../state/new-run.ts';
import { failureText } from '../text/failure.ts';
import { Dialog } from './dialog.tsx';
import { Filters } from './filters.tsx';
import { NoReplyNotice, RefusalNotice } from './refusal-notice.tsx';
import { RunSettings } from './run-settings.tsx';
import './new-run.css';

export default function NewRun({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [agent, setAgent] = useStoredText('holdpoint-run-agent');
  const [task, setTask] = useStoredText('holdpoint-run-task');
  const [folder, setFolder] = useStoredText('holdpoint-run-folder');
  const [settings, setSettings] = useStoredText('holdpoint-run-settings-by-agent');
  const [problem, setProblem] = useState<string>();
  const demoSubmission = useSubmission('demo');
  const submission = useSubmission('new-run');
  const isSending = demoSubmission.isSending || submission.isSending;
  const { agents, error } = useAgents();
  const choices = agents?.filter(({ demo }) => !demo) ?? [];
  const name = agent.trim();
  const hosted = agents?.find((known) => known.name === name);
  const form: RunForm = { agent, task, folder, chosen: JSON.parse(settings || '{}') };
  const isCommand = hosted?.takes === 'command';
  const run = newRun(form, hosted);
  const demo = demoRun(agents ?? []);

  const start = async ({ session, input }: Run, { send }: Submission): Promise<boolean> => {
    setProblem(undefined);
    let sessionId = '';
    const refusal = await send({ session, input }, async (options) => {
      sessionId = (await api.sessions.create(session, options)).session_id;
      await api.runs.start(sessionId, { input, source: 'web' }, options);
    });
    if (refusal) return false;
    onClose();
    navigate(`/sessions/${sessionId}`);
    return true;
  };
  const write = (next: string) => {
    // A task that is cleared and typed again is a new run.
    if (next.trim() === '') submission.forget();
    setTask(next);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    submission.clearRefusal();
    demoSubmission.clearRefusal();
    const why = formProblem(form);
    if (task.trim() === '') document.getElementById('run-task')?.focus();
    if (why !== undefined) return setProblem(why);
    if (!(await start(run, submission))) return;
    setTask('');
    setSettings(''); // The settings of one run do not apply to the next.
  };
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <form className="run-form" onSubmit={submit} noValidate>
        <div>
          <label className="label" htmlFor="run-task">
            {isCommand ? 'Command' : 'Task'}
          </label>
          <textarea
            id="run-task"
            className={`field ${isCommand ? 'mono' : ''}`}
            value={task}
            aria-describedby={isCommand ? 'run-task-note' : undefined}
            {...(isCommand && { autoCapitalize: 'off', autoCorrect: 'off', spellCheck: false })}
            onChange={(event) => write(event.target.value)}
          />
          {isCommand && (
            <p className="small muted" id="run-task-note">
              Runs in a shell (<code>sh -c</code>) in the folder below, on the worker’s machine.
            </p>
          )}
        </div>
        <div>
          <label className="label" htmlFor="run-agent">
            Agent
          </label>
          <input
            id="run-agent"
            className="field"
            list="run-agents"
            placeholder={choices.map((choice) => choice.name).join(', ')}
            aria-describedby="run-agent-note"
            value={agent}
            onChange={(event) => setAgent(event.target.value)}
          />
          <Filters
            label="Agents"
            choices={choices.map((choice) => [choice.title, choice.name] as const)}
            value={name}
            onChoose={setAgent}
          />
          <datalist id="run-agents">
            {choices.map((choice) => (
              <option key={choice.name} value={choice.name}>
                {choice.title}
              </option>
            ))}
          </datalist>
          <p className="small muted" id="run-agent-note">
            {agentNote(name, agents)}
          </p>
        </div>
        <div>
          <label className="label" htmlFor="run-folder">
            Folder <span className="muted">Optional</span>
          </label>
          <input
            id="run-folder"
            className="field mono"
            placeholder="/home/me/project"
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
          />
          <p className="small muted">
            The agent can read every file that its worker’s user account can read, including Holdpoint’s tokens if they
            are stored there. Some operating systems also let it read the worker’s memory. To run the agent under a
            separate account, start the worker with <code>holdpoint worker --run-as</code>.
          </p>
        </div>
        <RunSettings
          settings={hosted?.settings ?? []}
          chosen={form.chosen[name] ?? {}}
          onChoose={(chosen) => setSettings(JSON.stringify({ ...form.chosen, [name]: chosen }))}
        />
        <div className="dialog-foot">
          <div role="alert">
            {problem !== undefined && <p className="notice bad">{problem}</p>}
            {error && <p className="notice bad">{failureText(error)}</p>}
          </div>
          <RefusalNotice
            refusal={submission.refusal ?? demoSubmission.refusal}
            isSlow={submission.isSlow || demoSubmission.isSlow}
          />
          <Unsure submission={submission} run={run} />
          <div className="buttons">
            <button type="button" className="button quiet" onClick={onClose}>
              Cancel
            </button>
            {/* Without the list of agents it is unknown what the run takes and which settings were chosen. */}
            <button type="submit" className="button primary" disabled={isSending || !agents}>
              <Play className="icon" /> Start
            </button>
          </div>
        </div>
      </form>
      {demo && (
        <div className="run-demo small muted">
          <Unsure submission={demoSubmission} run={demo} />
          <button type="button" className="link" disabled={isSending} onClick={() => void start(demo, demoSubmission)}>
            Start the demo
          </button>{' '}
          instead: a scripted agent asks for approvals and answers. It reads and changes no file.
        </div>
      )}
    </Dialog>
  );
}

const Unsure = ({ submission, run }: { submission: Submission; run: Run }) =>
  submission.isUnsure(run) &&
  !submission.isSending &&
  !submission.refusal && (
    <NoReplyNotice>It may have been started: sent again unchanged, it leads you there.</NoReplyNotice>
  );

// Starting work from the page: the demo, or any agent that a worker of this server hosts.
import { FlaskConical, Play } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { useStoredText } from '../hooks/stored-text.ts';
import { type Submission, useSubmission } from '../hooks/submission.ts';
import { type Chosen, settingsInput } from '../state/run-settings.ts';
import { EXTERNAL_AGENT } from '../text/session-text.ts';
import { Dialog } from './dialog.tsx';
import { NoReplyNotice, RefusalNotice } from './refusal-notice.tsx';
import { RunSettings } from './run-settings.tsx';
import { Step } from './step.tsx';
import './new-run.css';

/** The agent that starts by itself what the settings of a folder name. */
const HAS_FOLDER_SETTINGS = 'claude';

interface Work {
  session: { agent: string; title: string; work_folder?: string };
  input: Record<string, unknown>;
}

const DEMO: Work = { session: { agent: 'mock', title: 'Demo' }, input: { text: 'make the test suite pass again' } };

export default function NewRun({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [agent, setAgent] = useStoredText('holdpoint-run-agent');
  const [task, setTask] = useStoredText('holdpoint-run-task');
  const [folder, setFolder] = useStoredText('holdpoint-run-folder');
  const [distrust, setDistrust] = useStoredText('holdpoint-run-distrust');
  const trustsFolder = distrust === '';
  const [name, place] = [agent.trim(), folder.trim()];
  const [problem, setProblem] = useState<string>();
  const demo = useSubmission('demo');
  const own = useSubmission('new-run');
  const isSending = demo.isSending || own.isSending;

  const { data: hosted = [] } = useFetched({ queryKey: ['agents'], queryFn: api.insights.agents, staleTime: 0 });
  const names = hosted.map((agent) => agent.name).filter((known) => known !== 'mock');

  const title = task.trim().split('\n')[0]?.slice(0, 120) ?? '';
  const trust = name === HAS_FOLDER_SETTINGS && !trustsFolder && { trust_folder: false };
  const [settings, setSettings] = useStoredText('holdpoint-run-settings');
  const chosen = JSON.parse(settings || '{}') as Chosen;
  const work: Work = {
    session: { agent: name, title, ...(place !== '' && { work_folder: place }) },
    input: { ...inputOf(name, task), ...settingsInput(name, chosen), ...trust },
  };
  const start = async (work: Work, { send }: Submission) => {
    setProblem(undefined);
    let sessionId = '';
    const refusal = await send(work, async (options) => {
      sessionId = (await api.sessions.create(work.session, options)).session_id;
      await api.runs.start(sessionId, { input: work.input, source: 'web' }, options);
    });
    if (refusal) return;
    if (work !== DEMO) {
      setTask('');
      setSettings(''); // What one run was allowed is not for the next.
    }
    onClose();
    navigate(`/sessions/${sessionId}`);
  };
  const write = (next: string) => {
    // Whoever begins anew means to start it anew.
    if (next.trim() === '') own.forget();
    setTask(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    own.clearRefusal();
    demo.clearRefusal();
    if (name === EXTERNAL_AGENT) return setProblem(NOT_STARTED_HERE);
    if (name === '') return setProblem('Name the agent.');
    if (task.trim() === '') return setProblem('Say what the agent should do.');
    if (place !== '' && !isAbsolute(place))
      return setProblem(
        'Give the work folder as an absolute path, such as /home/me/project: it is looked up on the machine of the worker.',
      );
    void start(work, own);
  };
  return (
    <Dialog title="Start a run" onClose={onClose}>
      <Step
        title="Demo"
        text="A scripted agent asks every kind of thing. It reads and changes no file."
        action={
          <button type="button" className="button" disabled={isSending} onClick={() => start(DEMO, demo)}>
            <FlaskConical className="icon" /> Start the demo
          </button>
        }
      >
        <Unsure sending={demo} work={DEMO} />
      </Step>
      <form className="run-form" onSubmit={submit} noValidate>
        <div>
          <label className="label" htmlFor="run-task">
            Task
          </label>
          <textarea id="run-task" className="field" value={task} onChange={(event) => write(event.target.value)} />
        </div>
        <div>
          <label className="label" htmlFor="run-agent">
            Agent
          </label>
          <input
            id="run-agent"
            className="field"
            list="run-agents"
            placeholder={names.join(', ')}
            aria-describedby="run-agent-note"
            value={agent}
            onChange={(event) => setAgent(event.target.value)}
          />
          <datalist id="run-agents">
            {names.map((known) => (
              <option key={known} value={known} />
            ))}
          </datalist>
          <p className="small muted" id="run-agent-note">
            {noteOf(name, names)}
          </p>
        </div>
        <div>
          <label className="label" htmlFor="run-folder">
            Work folder on the worker's machine <span className="muted">Optional</span>
          </label>
          <input
            id="run-folder"
            className="field mono"
            placeholder="/home/me/project"
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
          />
        </div>
        <RunSettings agent={name} chosen={chosen} onChoose={(next) => setSettings(JSON.stringify(next))} />
        {name === HAS_FOLDER_SETTINGS && (
          <div>
            <label className="label">
              <input
                type="checkbox"
                checked={trustsFolder}
                onChange={(event) => setDistrust(event.target.checked ? '' : 'yes')}
                aria-describedby="run-trust-note"
              />{' '}
              Trust what the folder brings along
            </label>
            <p className="small muted" id="run-trust-note">
              Its own hooks, MCP servers and agents for Claude Code are started unasked. Without trust none of them is
              read.
            </p>
          </div>
        )}
        <div role="alert">{problem !== undefined && <p className="notice bad">{problem}</p>}</div>
        <RefusalNotice refusal={own.refusal ?? demo.refusal} isSlow={own.isSlow || demo.isSlow} />
        <Unsure sending={own} work={work} />
        <div className="dialog-foot">
          <button type="button" className="button quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="button primary" disabled={isSending}>
            <Play className="icon" /> Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}

const Unsure = ({ sending, work }: { sending: Submission; work: Work }) =>
  sending.isUnsure(work) &&
  !sending.isSending &&
  !sending.refusal && (
    <NoReplyNotice>It may have been started: sent again unchanged, it leads you there.</NoReplyNotice>
  );

/** The agent `exec` runs a command; the task is that command, word by word. */
const inputOf = (agent: string, text: string): Record<string, unknown> =>
  agent === 'exec' ? { command: ['sh', '-c', text] } : { text };

const NOT_STARTED_HERE = `“${EXTERNAL_AGENT}” stands for programs that start their own runs: nothing would work on one from here.`;

function noteOf(name: string, hosted: readonly string[]): string {
  if (name === EXTERNAL_AGENT) return NOT_STARTED_HERE;
  if (name === '' || name === 'mock' || hosted.includes(name)) return 'Any agent that a worker of this server hosts.';
  return `No worker hosts “${name}” now: the run would wait for one.`;
}

/** On the worker's machine, which may be any. */
const isAbsolute = (path: string): boolean => /^(\/|\\\\|[A-Za-z]:[\\/])/.test(path);

// What a run may do unasked, as far as its agent lets that be chosen up front: the agents' own names for it, what each means
// to the person who chooses, and what it is in the input of a run. Pure. Whether a name is known is judged by the agent.

export interface Choice {
  /** As the agent itself calls it; empty where nothing is said. */
  value: string;
  label: string;
  means: string;
  /** Nobody is asked, or nothing is forbidden: said so that it is not overlooked. */
  isOpen?: true;
}

export interface Setting {
  /** Its name in the input of the run. */
  name: string;
  label: string;
  choices: readonly [Choice, ...Choice[]];
}

/** By the name of the setting; what is missing is its first choice. */
export type Chosen = Readonly<Record<string, string>>;

const UNSAID = (what: string): Choice => ({
  value: '',
  label: 'As configured there',
  means: `What the Codex configuration on the worker's machine says${what}.`,
});

const PERMISSION_MODE: Setting = {
  name: 'permission_mode',
  label: 'Permission mode',
  choices: [
    {
      value: 'default',
      label: 'default: ask',
      means: 'You are asked before a file is changed or a command runs, unless its own settings allow that.',
    },
    {
      value: 'acceptEdits',
      label: 'acceptEdits: edit unasked',
      means: 'Files in the work folder are changed unasked, also by commands such as touch. For others you are asked.',
    },
    {
      value: 'plan',
      label: 'plan: look first',
      means: 'It looks around, changes no file, and shows you a plan. When you allow the plan, it begins, and asks.',
    },
    {
      value: 'dontAsk',
      label: 'dontAsk: refuse instead of asking',
      means: 'Nobody is asked: what its own settings do not allow is refused.',
    },
    {
      value: 'bypassPermissions',
      label: 'bypassPermissions: do everything unasked',
      means: 'Every command and every change is made without asking anybody. Only its questions reach you.',
      isOpen: true,
    },
  ],
};

const FULL_AUTO = '--full-auto';
const BYPASS = '--dangerously-bypass-approvals-and-sandbox';

const SANDBOX: Setting = {
  name: 'sandbox',
  label: 'Sandbox',
  choices: [
    UNSAID(' about what commands may touch'),
    { value: 'read-only', label: 'read-only: change nothing', means: 'Commands read files and change none.' },
    {
      value: 'workspace-write',
      label: 'workspace-write: change the work folder',
      means: 'Commands change files in the work folder and in temporary folders, and nowhere else.',
    },
    {
      value: 'danger-full-access',
      label: 'danger-full-access: no sandbox',
      means: 'Commands change every file its user can, and reach the network. Who is asked, the approval policy says.',
      isOpen: true,
    },
    {
      value: FULL_AUTO,
      label: `${FULL_AUTO}: work in the folder unasked`,
      means: 'workspace-write and on-request: in the work folder nobody is asked; for anything beyond it you are.',
    },
    {
      value: BYPASS,
      label: `${BYPASS}: do everything unasked`,
      means: 'danger-full-access and never: everything it wants to do is done, and nobody is asked.',
      isOpen: true,
    },
  ],
};

const APPROVAL_POLICY: Setting = {
  name: 'approval_policy',
  label: 'Approval policy',
  choices: [
    UNSAID(' about when you are asked'),
    {
      value: 'untrusted',
      label: 'untrusted: ask for commands',
      means: 'You are asked before every command that is not known to only read.',
    },
    {
      value: 'on-request',
      label: 'on-request: ask for more',
      means: 'You are asked when it wants more than the sandbox lets it do.',
    },
    { value: 'never', label: 'never: do not ask', means: 'Nobody is asked. What the sandbox forbids fails.' },
  ],
};

const MODE: Setting = {
  name: 'mode',
  label: 'Mode',
  choices: [
    { value: '', label: 'default: work', means: 'It begins at once.' },
    {
      value: 'plan',
      label: 'plan: think and ask first',
      means: 'It thinks and asks, in the sandbox read-only unless you choose another.',
    },
  ],
};

/** Codex remembers which folders are trusted; Claude Code trusts every one unless told otherwise. */
const TRUST_FOLDER: Setting = {
  name: 'trust_folder',
  label: 'Trust what the folder brings along',
  choices: [
    UNSAID(' about trusting the folder'),
    {
      value: 'true',
      label: 'yes, for this session',
      means: 'Its own MCP servers for Codex are started unasked, and its settings count as yours.',
      isOpen: true,
    },
    { value: 'false', label: 'no', means: 'None of its own settings, servers, hooks and rules for Codex holds.' },
  ],
};

export const PERMISSION_SETTINGS = {
  claude: [PERMISSION_MODE],
  codex: [SANDBOX, APPROVAL_POLICY, MODE, TRUST_FOLDER],
} as const;

/** What can be chosen for this agent. A flag of the command line stands for a sandbox and a policy: there is no other. */
export function settingsFor(agent: string, chosen: Chosen): readonly Setting[] {
  const all: readonly Setting[] = Object.hasOwn(PERMISSION_SETTINGS, agent)
    ? PERMISSION_SETTINGS[agent as keyof typeof PERMISSION_SETTINGS]
    : [];
  return isFlag(chosen.sandbox) ? all.filter((setting) => setting !== APPROVAL_POLICY) : all;
}

export const choiceOf = ({ name, choices: [first, ...others] }: Setting, chosen: Chosen): Choice =>
  others.find(({ value }) => value === chosen[name]) ?? first;

/** What of it the run is told: nothing where the first choice stands, which is what the agent does unsaid. */
export function settingsInput(agent: string, chosen: Chosen): Record<string, unknown> {
  const told = settingsFor(agent, chosen).flatMap((setting): [string, unknown][] => {
    const { value } = choiceOf(setting, chosen);
    if (value === setting.choices[0].value) return [];
    if (isFlag(value)) return [[value.slice(2).replaceAll('-', '_'), true]];
    return [[setting.name, setting === TRUST_FOLDER ? value === 'true' : value]];
  });
  return Object.fromEntries(told);
}

const isFlag = (value: string | undefined): boolean => value?.startsWith('--') ?? false;

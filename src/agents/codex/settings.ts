// Lists what can be chosen for a run of Codex before it starts: sandbox, approval policy, mode, and trust in the work
// folder. Data only; `input.ts` validates the input of a run.
import type { Setting } from '../../core/agent-description.ts';

type Choice = Setting['choices'][number];

const FULL_AUTO = '--full-auto';
const BYPASS = '--dangerously-bypass-approvals-and-sandbox';

const asConfigured = (about: string): Choice => ({
  value: '',
  label: 'As configured there',
  means: `What the Codex configuration on the worker's machine says${about}.`,
  input: {},
});
const sandbox = (value: string) => ({ value, input: { sandbox: value } });
const policy = (value: string) => ({ value, input: { approval_policy: value } });

export const settings: Setting[] = [
  {
    name: 'sandbox',
    label: 'Sandbox',
    choices: [
      asConfigured(' about what commands may touch'),
      { ...sandbox('read-only'), label: 'read-only: change nothing', means: 'Commands read files and change none.' },
      {
        ...sandbox('workspace-write'),
        label: 'workspace-write: change the work folder',
        means: 'Commands change files in the work folder and in temporary folders, and nowhere else.',
      },
      {
        ...sandbox('danger-full-access'),
        label: 'danger-full-access: no sandbox',
        means:
          'Commands change every file its user can, and reach the network. Who is asked, the approval policy says.',
        is_open: true,
      },
      {
        value: FULL_AUTO,
        label: `${FULL_AUTO}: work in the folder without asking`,
        means: 'workspace-write and on-request: works in the folder without asking, and asks for anything beyond it.',
        input: { full_auto: true },
        replaces: ['approval_policy'],
      },
      {
        value: BYPASS,
        label: `${BYPASS}: never ask`,
        means: 'danger-full-access and never: everything it wants to do is done, and nobody is asked.',
        is_open: true,
        input: { dangerously_bypass_approvals_and_sandbox: true },
        replaces: ['approval_policy'],
      },
    ],
  },
  {
    name: 'approval_policy',
    label: 'Approval policy',
    choices: [
      asConfigured(' about when you are asked'),
      {
        ...policy('untrusted'),
        label: 'untrusted: ask for commands',
        means: 'You are asked before every command that is not known to only read.',
      },
      {
        ...policy('on-request'),
        label: 'on-request: ask for more',
        means: 'You are asked when it wants more than the sandbox lets it do.',
      },
      { ...policy('never'), label: 'never: do not ask', means: 'Nobody is asked. What the sandbox forbids fails.' },
    ],
  },
  {
    name: 'mode',
    label: 'Mode',
    choices: [
      { value: '', label: 'default: work', means: 'It begins at once.', input: {} },
      {
        value: 'plan',
        label: 'plan: think and ask first',
        means: 'It thinks and asks, in the sandbox read-only unless you choose another.',
        input: { mode: 'plan' },
      },
    ],
  },
  {
    name: 'trust_folder',
    label: 'Trust this folder’s settings and MCP servers',
    choices: [
      asConfigured(' about trusting the folder'),
      {
        value: 'true',
        label: 'yes, for this session',
        means:
          'Starts the MCP servers that the folder defines for Codex without asking, and applies its settings as yours.',
        is_open: true,
        input: { trust_folder: true },
      },
      {
        value: 'false',
        label: 'no',
        means: 'Ignores the settings, MCP servers, hooks and rules that the folder defines for Codex.',
        input: { trust_folder: false },
      },
    ],
  },
];

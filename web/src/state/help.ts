// Describes every key and the query language for the help dialog, which is loaded when it is opened. keys.ts owns what the
// keys do.

export const HELP: readonly (readonly [title: string, rows: readonly (readonly [keys: string[], does: string])[]])[] = [
  [
    'Anywhere',
    [
      [['Ctrl', 'K'], 'find any command, page or request'],
      [['j', 'k'], 'next and previous request'],
      [['Enter'], 'go into the request'],
      [['Space', 'Shift Space'], 'scroll down, and up'],
      [['Esc'], 'go back, without deciding'],
      [['/'], 'search and filter'],
      [['s'], 'open the session of the request'],
      [['n'], 'start a run'],
      [['?'], 'this help'],
    ],
  ],
  [
    'Approvals',
    [
      [['a'], 'allow once what is shown'],
      [['z'], 'undo, before it is sent'],
      [['e'], 'edit it, then allow'],
      [['d'], 'deny, with a reason if you like'],
      [['w'], 'always allow: choose what and for how long'],
      [['y'], 'copy the command'],
      [['g'], 'review similar requests together'],
    ],
  ],
  [
    'Questions',
    [
      [['1', '…', '9'], 'choose an option'],
      [['o'], 'Other: a text of your own'],
      [['a'], 'send the answer'],
      [['d'], 'decline to answer'],
      [['Ctrl', 'Enter'], 'send, while you type'],
    ],
  ],
  [
    'Without deciding',
    [
      [['c'], 'comment, or ask the agent why'],
      [['i'], 'I’m on it, or no longer'],
      [['h'], 'snooze'],
      [['x', 'X'], 'select it, or all that are listed'],
    ],
  ],
];

/** The query language, which inbox and history share. */
export const QUERY_HELP: readonly (readonly [term: string, finds: string])[] = [
  ['agent:name', 'what this agent asks'],
  ['tool:bash', 'approvals of this tool'],
  ['project:shop', 'what belongs to this project'],
  ['session:release', 'a session by its title or id'],
  ['by:lead', 'who answered it, or is on it'],
  [
    'risk:destructive',
    'destructive, production, publishes, credentials, outside-folder, deletes, replaces, network, unclear (inbox)',
  ],
  ['is:question', 'approval, question, expiring, taken, commented, snoozed; allowed, denied, expired, …'],
  ['after:2026-11-01', 'from that day on; before: until that day (UTC)'],
  ['“npm publish”', 'these words together, in quotes'],
  ['-tool:read -word', 'not these'],
  ['tool: after:someday', 'not understood: left out, and named below the search'],
];

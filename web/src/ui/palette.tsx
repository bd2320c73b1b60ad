// Finds and runs any command, page, saved view, session or request by typing a part of its name. A command runs as its key
// would, through the same guards, and only for the request that had the keys when the palette was opened; a request is
// opened, never decided from its name.
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { filtered } from '../../../src/client/inbox-filter.ts';
import { type Aim, run } from '../hooks/commands.ts';
import { useInbox } from '../hooks/live-inbox.ts';
import { usePreferences } from '../hooks/preferences.ts';
import { foundIn, PALETTE_COMMANDS, PALETTE_PAGES } from '../state/palette.ts';
import { heading, summary } from '../text/ask-text.ts';
import { sessionName } from '../text/session-text.ts';
import { Dialog } from './dialog.tsx';
import { Key } from './key.tsx';
import './palette.css';

interface Item {
  id: string;
  label: string;
  hint: string;
  act: () => void;
}

const MOST_SHOWN = 12;

/** `aim`: what was on the screen when it was opened, which it covers. */
export default function Palette({ aim, onClose }: { aim: Aim; onClose: () => void }) {
  const inbox = useInbox();
  const { views } = usePreferences();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const go = (to: string) => () => navigate(to);
  const commands = PALETTE_COMMANDS.filter(({ command }) => aim.entryOf(command));
  const items: Item[] = foundIn(typed, [
    ...commands.map(({ command, label, key, isAnywhere }) => ({
      id: command,
      label,
      hint: key,
      act: () => void run(command, isAnywhere ? undefined : aim),
    })),
    ...PALETTE_PAGES.map(([to, label]) => ({ id: to, label, hint: 'page', act: go(to) })),
    ...views.map(({ name, search }) => ({ id: `view ${name}`, label: name, hint: 'view', act: go(`/${search}`) })),
    ...(typed.trim() === '' ? [] : [...inbox.sessions.values()]).map((session) => ({
      id: session.session_id,
      label: sessionName(session),
      hint: 'session',
      act: go(`/sessions/${session.session_id}`),
    })),
  ]);
  const requests = typed.trim() === '' ? [] : filtered(inbox.entries, inbox.sessions, typed).slice(0, MOST_SHOWN);
  const all: Item[] = [
    ...items,
    ...requests.map(({ ask }) => ({
      id: ask.ask_id,
      label: `${heading(ask.request)}: ${summary(ask.request)}`,
      hint: 'request',
      act: go(`/asks/${ask.ask_id}`),
    })),
  ].slice(0, MOST_SHOWN);
  const chosen = Math.min(at, all.length - 1);
  const choose = (item: Item | undefined) => {
    if (!item) return;
    onClose();
    // The dialog must be closed first: while it is open the page takes no commands.
    setTimeout(item.act);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.repeat && !event.nativeEvent.isComposing) choose(all[chosen]);
    else if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, all.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0));
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to or do" onClose={onClose}>
      <input
        className="field"
        role="combobox"
        aria-label="Command, page, session or request"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={all[chosen] && `${listId}-${chosen}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div className="palette" role="listbox" id={listId} aria-label="Results">
        {all.map((item, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={item.id}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            onClick={() => choose(item)}
          >
            <span>{item.label}</span>
            {item.hint.length === 1 ? <Key>{item.hint}</Key> : <span className="tiny muted">{item.hint}</span>}
          </div>
        ))}
      </div>
      {all.length === 0 && <p className="muted">Nothing found.</p>}
    </Dialog>
  );
}

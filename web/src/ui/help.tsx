// Lists the keyboard shortcuts and the query language in a dialog.
import { prefer, usePreferences } from '../hooks/preferences.ts';
import { HELP, QUERY_HELP } from '../state/help.ts';
import { Dialog } from './dialog.tsx';
import './key.css';
import './help.css';

const withoutSingleKeys: typeof HELP = HELP.map(
  ([title, rows]) => [title, rows.filter(([keys]) => keys.some((key) => key.length > 1))] as const,
).filter(([, rows]) => rows.length > 0);

export default function Help({ onClose }: { onClose: () => void }) {
  const { shortcuts } = usePreferences();
  return (
    <Dialog title="Shortcuts" onClose={onClose}>
      <div className="help-columns">
        {(shortcuts ? HELP : withoutSingleKeys).map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([keys, does]) => (
                <div key={does}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <h3 className="help-title">Search</h3>
      <dl className="help-query">
        {QUERY_HELP.map(([term, finds]) => (
          <div key={term}>
            <dt>
              <code>{term}</code>
            </dt>
            <dd>{finds}</dd>
          </div>
        ))}
      </dl>
      <label className="help-switch">
        <input type="checkbox" checked={shortcuts} onChange={(event) => prefer({ shortcuts: event.target.checked })} />{' '}
        Single-key shortcuts
      </label>
      <p className="small muted">
        Keys decide nothing while you type, while they are held down, or right after the list has changed by itself.
      </p>
    </Dialog>
  );
}

// Lists the keyboard shortcuts in a dialog.
import { HELP } from '../state/keys.ts';
import { Dialog } from './dialog.tsx';
import './key.css';
import './help.css';

export default function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <div className="help-columns">
        {HELP.map(([title, rows]) => (
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
      <p className="small muted">
        Keys do nothing to an ask while you type, while they are held down, or right after the list has moved by itself.
      </p>
    </Dialog>
  );
}

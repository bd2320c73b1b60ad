// Shows the signs of risk of a pending ask, the gravest first, each with what was found.
import {
  Clock,
  CloudUpload,
  EyeOff,
  FilePen,
  FolderOutput,
  Globe,
  KeyRound,
  PackageOpen,
  RotateCcw,
  ScanEye,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { isMarked, RISK_LABELS, signsAt, toneOf } from '../../../src/client/risk-text.ts';
import type { RiskSign } from '../../../src/core/risk.ts';
import type { AskView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { ASKS_FOR_SECRET, asksForSecret } from '../text/action-kind.ts';
import { Exact } from './text.tsx';
import './risk-signs.css';

const ICONS = {
  destructive: TriangleAlert,
  unknown_code: TriangleAlert,
  production: CloudUpload,
  publishes: PackageOpen,
  credentials: KeyRound,
  outside_folder: FolderOutput,
  hidden: EyeOff,
  asked_again: RotateCcw,
  deletes: Trash2,
  replaces: FilePen,
  network: Globe,
  unclear: ScanEye,
  deadline: Clock,
} satisfies Record<RiskSign['risk'], unknown>;

const SECRET_WHY =
  'what you type is encrypted and only the agent can read it; the agent may use it, store it or pass it on';

/** Nothing where no sign was found. The deadline has its countdown at the top of the card. */
export function RiskSigns({ ask }: { ask: AskView }) {
  const signs = signsAt(ask, useNow()).filter(isMarked);
  const isSecret = asksForSecret(ask.request);
  if (ask.status !== 'pending' || !(isSecret || signs.length > 0)) return null;
  return (
    <ul className="risk-signs" aria-label="Signs of risk">
      {isSecret && (
        <li className="chip bad">
          <KeyRound className="icon" />
          <span>
            <strong>{ASKS_FOR_SECRET}:</strong> {SECRET_WHY}
          </span>
        </li>
      )}
      {signs.map((sign) => {
        const Icon = ICONS[sign.risk];
        return (
          <li key={sign.risk} className={`chip ${toneOf(sign)}`}>
            <Icon className="icon" />
            <span>
              <strong>{RISK_LABELS[sign.risk]}:</strong> <Exact text={sign.why} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

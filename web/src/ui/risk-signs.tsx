// Shows the signs of risk of a pending ask, the gravest first, each with what was found.
import {
  Clock,
  CloudUpload,
  FilePen,
  FolderOutput,
  Globe,
  KeyRound,
  PackageOpen,
  ScanEye,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import { useMemo } from 'react';
import { RISK_LABELS, signsAt, toneOf } from '../../../src/client/risk-text.ts';
import type { RiskSign } from '../../../src/core/risk.ts';
import type { AskView, SessionView } from '../../../src/core/views.ts';
import { useNow } from '../hooks/clock.ts';
import { furtherSigns, ownSigns } from '../text/own-signs.ts';
import { Exact } from './text.tsx';
import './risk-signs.css';

const ICONS = {
  destructive: TriangleAlert,
  unknown_code: TriangleAlert,
  production: CloudUpload,
  publishes: PackageOpen,
  credentials: KeyRound,
  outside_folder: FolderOutput,
  deletes: Trash2,
  replaces: FilePen,
  network: Globe,
  unclear: ScanEye,
  deadline: Clock,
} satisfies Record<RiskSign['risk'], unknown>;

/** Nothing where no sign was found. The deadline has its countdown at the top of the card. */
export function RiskSigns({ ask, session }: { ask: AskView; session?: SessionView | undefined }) {
  const own = useMemo(() => ownSigns(ask, session), [ask, session]);
  const signs = furtherSigns(signsAt(ask, useNow()), own);
  if (ask.status !== 'pending' || signs.length + own.length === 0) return null;
  return (
    <ul className="risk-signs" aria-label="Signs of risk">
      {own.map(({ label, why }) => (
        <li key={label} className="chip bad">
          <ScanEye className="icon" />
          <span>
            <strong>{label}:</strong> <Exact text={why} />
          </span>
        </li>
      ))}
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

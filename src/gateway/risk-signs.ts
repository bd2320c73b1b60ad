// The signs of risk that a view of a request shows. Lists show the same requests again and again, and a long command takes
// milliseconds to read, so the signs are kept by what they follow from. Every ask states its content's hash.
import type { Ask } from '../core/ask.ts';
import { assessRisk, type RiskSign } from '../core/risk.ts';
import { filesKey } from '../core/script-text.ts';

/** At most about one kilobyte each. */
const MOST_KEPT = 5000;
const kept = new Map<string, RiskSign[]>();

export function riskSigns(ask: Ask, sessionFolder: string | undefined): RiskSign[] {
  const workFolder = (ask.kind === 'approval' ? ask.content.work_folder : undefined) ?? sessionFolder;
  const key = JSON.stringify([ask.payloadHash, filesKey(ask), ask.expiresAt, workFolder, sessionFolder]);
  const known = kept.get(key);
  if (known) return known;
  const signs = assessRisk({
    action: ask.kind === 'approval' ? ask.content : undefined,
    work_folder: workFolder,
    session_folder: sessionFolder,
    expires_at_ms: ask.expiresAt,
  });
  kept.set(key, signs);
  const [oldest] = kept.size > MOST_KEPT ? kept.keys() : [];
  if (oldest !== undefined) kept.delete(oldest);
  return signs;
}

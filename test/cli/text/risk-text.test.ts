// Signs of risk as lines and marks of a terminal.
import { describe, expect, it } from 'vitest';
import { riskLines, riskMark } from '../../../src/cli/text/risk-text.ts';
import { plain } from '../../../src/cli/text/spans.ts';
import { RISK_LABELS } from '../../../src/client/risk-text.ts';

const NOW = 1000;
const risk = [
  { risk: 'destructive' as const, why: 'rm deletes\u202e files' },
  { risk: 'network' as const, why: 'sends' },
  { risk: 'deadline' as const, why: 'soon', at_ms: NOW },
];

describe('the signs of risk at a terminal', () => {
  it('are listed with what was found, without hidden characters, and without the deadline', () => {
    const [first = []] = riskLines({ status: 'pending', risk }, 200, NOW);
    expect(plain(first)).toBe(`${RISK_LABELS.destructive}: rm deletes<U+202E> files · ${RISK_LABELS.network}: sends`);
    expect(first[0]?.style).toBe('bad');
  });

  it('are marked in a row by the gravest and the number of the others', () => {
    const mark = riskMark({ status: 'pending', risk }, NOW);
    expect([plain(mark), mark[0]?.style]).toEqual([`${RISK_LABELS.destructive} +1`, 'bad']);
    expect(plain(riskMark({ status: 'pending', risk: risk.slice(1) }, NOW))).toBe(RISK_LABELS.network);
  });

  it('are not shown of an ask that has ended or has none', () => {
    expect(riskLines({ status: 'answered', risk }, 80, NOW)).toEqual([]);
    expect(riskMark({ status: 'pending', risk: risk.slice(2) }, NOW)).toEqual([]);
    expect(riskMark({ status: 'pending' }, NOW)).toEqual([]);
  });
});

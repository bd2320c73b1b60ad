// Saves every request that a search of the history finds as a file of JSON, as the API sends them.
import { Download } from 'lucide-react';
import { useState } from 'react';
import { every } from '../../../src/client/client.ts';
import type { AskView } from '../../../src/core/views.ts';
import { api } from '../api.ts';
import { toast } from '../hooks/toasts.ts';
import type { HistoryQuery } from '../state/history-query.ts';
import { failureText } from '../text/failure.ts';

const PAGE_SIZE = 500;
/** All are in memory until the file is saved. */
const MOST = 10_000;

export function ExportButton({ query }: { query: HistoryQuery }) {
  const [isExporting, setExporting] = useState(false);
  const save = async () => {
    setExporting(true);
    try {
      const asks = await foundBy(query);
      saveFile(asks);
      const count = asks.length.toLocaleString('en');
      if (asks.length < MOST) toast(`Exported ${count} ${asks.length === 1 ? 'request' : 'requests'}`);
      else toast(`Exported the newest ${count}. Narrow the search for older ones.`, 'warn');
    } catch (error) {
      toast(failureText(error), 'warn');
    } finally {
      setExporting(false);
    }
  };
  return (
    <button type="button" className="button quiet small" disabled={isExporting} onClick={() => void save()}>
      <Download className="icon" /> {isExporting ? 'Exporting…' : 'Export as JSON'}
    </button>
  );
}

async function foundBy({ q, kind, status }: HistoryQuery): Promise<AskView[]> {
  const asks: AskView[] = [];
  const search = { q, kind, status: status ?? ('ended' as const), limit: PAGE_SIZE };
  for await (const ask of every((page) => api.asks.list({ ...search, ...page }))) {
    asks.push(ask);
    if (asks.length === MOST) break;
  }
  return asks;
}

function saveFile(asks: readonly AskView[]): void {
  const file = new Blob([JSON.stringify(asks, undefined, 2)], { type: 'application/json' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = `holdpoint-history-${new Date().toISOString().slice(0, 10)}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

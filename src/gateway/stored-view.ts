// Stores the response of an idempotency key: a large view without the texts that never change. What an ask requests, how it
// was answered and what a run said are stored once, in their own records; the stored view names them, and is complete
// again when the key is reused.
import type { Ask } from '../core/ask.ts';
import { renderPayload } from '../core/form.ts';
import type { Reader } from '../core/ports.ts';
import { askRecord } from './records.ts';
import { outputView, requestView } from './views.ts';

/** Views up to this size are stored as they are. */
const SMALL = 16 * 1024;
const BY_REFERENCE = 'by_reference';

type View = Record<string, unknown>;

export function storedText(view: unknown): string {
  const text = JSON.stringify(view);
  if (text.length <= SMALL || typeof view !== 'object' || view === null) return text;
  return JSON.stringify({ [BY_REFERENCE]: shortened(view as View) });
}

export async function storedView(reader: Reader, text: string): Promise<unknown> {
  const stored = JSON.parse(text) as View | undefined;
  const short = stored?.[BY_REFERENCE];
  return short === undefined ? stored : restored(reader, short as View);
}

const isAsk = (view: View): boolean => 'ask_id' in view && 'request' in view;

/** Fields keep their places, so that the restored text is the same. */
function shortened(view: View): View {
  if (isAsk(view)) return replaceAll(view, ['request', 'render_payload', 'answer'], () => null);
  const ids = replaceAll(view, ['pending_approvals', 'pending_questions'], (list) => idsIn(list, 'id'));
  const short = replaceAll(ids, ['outputs'], (list) => idsIn(list, 'output_id'));
  return replaceAll(short, ['snapshot'], (snapshot) => shortened(snapshot as View));
}

async function restored(reader: Reader, view: View): Promise<View> {
  if (isAsk(view)) return restoredAsk(view, await askRecord(reader, String(view.ask_id)));
  const full = { ...view };
  for (const name of ['pending_approvals', 'pending_questions'].filter((field) => field in full))
    full[name] = await Promise.all(
      (full[name] as string[]).map(async (id) => requestView(await askRecord(reader, id))),
    );
  if (full.outputs !== undefined) {
    const outputs = (full.outputs as string[]).map((id) => reader.get('output', String(full.run_id), id));
    full.outputs = (await Promise.all(outputs)).flatMap((output) => (output ? [outputView(output)] : []));
  }
  if (full.snapshot !== undefined) full.snapshot = await restored(reader, full.snapshot as View);
  return full;
}

function restoredAsk(view: View, ask: Ask): View {
  const full = { ...view, request: requestView(ask) } as View;
  if ('answer' in full && ask.status !== 'pending') full.answer = ask.answer;
  if ('render_payload' in full && ask.kind === 'question' && ask.content.form)
    full.render_payload = renderPayload(ask.id, ask.content, ask.content.form);
  return full;
}

function replaceAll(view: View, names: readonly string[], change: (value: unknown) => unknown): View {
  const changed = { ...view };
  for (const name of names) if (name in changed) changed[name] = change(changed[name]);
  return changed;
}

const idsIn = (list: unknown, field: string): unknown[] => (list as View[]).map((entry) => entry[field]);

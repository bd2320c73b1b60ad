// Compares what this version shows of a fixture with what the release printed. Fields that were added since are allowed;
// a value that changed, or an item that is missing, is not.
import { expect } from 'vitest';
import type { Api } from './api.ts';
import type { Views } from './fixture.ts';

/** The conversation of an attached Claude Code. */
export const CLAUDE = 'claude.0f0e4c5e-6a35-4b52-9c1e-2d7a8f1b3c4d';
/** A restart ends what they did, in any version: the process, or the request that waited, is gone. */
const ENDED_BY_RESTART = [CLAUDE, 'codex-own-killed', 'mock-lost'];

export async function expectSameLists(api: Api, views: Views): Promise<void> {
  for (const kind of ['sessions', 'runs', 'asks'] as const) {
    const isCompared = ({ session_id }: { session_id: string }) =>
      ![...ENDED_BY_RESTART, 'system'].includes(session_id);
    const now: { session_id: string }[] = await api.get(`/v1/${kind}?limit=500`);
    const before: { session_id: string }[] = views[kind];
    expect(now.filter(isCompared)).toMatchObject(before.filter(isCompared));
  }
}

interface Item {
  content: { text?: string }[];
  metadata?: { type?: string };
}

/** A thread may have become longer, and the text of a prompt too: it has every line that the release showed. */
export async function expectSameThreads(api: Api, { sessions, threads }: Views): Promise<void> {
  for (const { session_id, thread_id } of sessions) {
    const items = await api.get<Item[]>(`/v1/threads/${encodeURIComponent(thread_id)}/items?limit=500`);
    const before = (threads[session_id] ?? []) as Item[];
    const shown = items.slice(0, before.length);
    expect(shown.map(withoutPromptText)).toMatchObject(before.map(withoutPromptText));
    for (const [i, { content }] of before.entries())
      for (const line of (content[0]?.text ?? '').split('\n'))
        expect(shown[i]?.content[0]?.text?.replaceAll(' (recommended)', '').split('\n')).toContain(line);
  }
}

const withoutPromptText = (item: Item): object =>
  item.metadata?.type === 'pending_prompt' ? { ...item, content: [] } : item;

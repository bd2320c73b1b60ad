// What a session shows as chat: thread items, and the outputs of its runs.

export interface Item {
  id: string;
  sessionId: string;
  position: number;
  role: 'user' | 'worker';
  author: string;
  content: unknown[];
  metadata: Record<string, unknown> | undefined;
  createdAt: number;
}

export interface Output {
  id: string;
  runId: string;
  position: number;
  at: number;
  content: Record<string, unknown>;
}

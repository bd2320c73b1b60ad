// What a run says while it works. Kept by the run; what has a text is also in the thread of its session.

export interface Output {
  id: string;
  runId: string;
  position: number;
  at: number;
  content: Record<string, unknown>;
}

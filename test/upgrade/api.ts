// The HTTP API as JSON, for the recording of a release and for the test of its fixture: neither may depend on the client
// of one version.
import { setTimeout as sleep } from 'node:timers/promises';

export type Fields = Record<string, unknown>;
const LOOK_EVERY_MS = 25;

export interface Api {
  url: string;
  get<T>(path: string): Promise<T>;
  post<T = Fields>(path: string, body?: Fields, headers?: Record<string, string>): Promise<T>;
}

export class Refused extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

export function apiOf(url: string, token: string): Api {
  async function call<T>(path: string, init: RequestInit = {}): Promise<T> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${url}${path}`, { ...init, headers });
    const text = await response.text();
    if (!response.ok) throw new Refused(response.status, `${path}: ${response.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
  return {
    url,
    get: call,
    post: (path, body = {}, headers) =>
      call(path, { method: 'POST', body: JSON.stringify(body), ...(headers && { headers }) }),
  };
}

export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(LOOK_EVERY_MS);
  }
}

export interface Ask {
  ask_id: string;
  run_id: string;
  session_id: string;
  tool_call_id: string;
  status: string;
  mode: string;
  request: Fields;
  answer?: Fields;
  delivery: { state: string; attempts: number; reason?: string };
}
export interface Run {
  run_id: string;
  session_id: string;
  status: string;
  resumes_run_id?: string;
  finished_at_ms?: number;
  error?: string;
  outputs: { output_id: string; type?: string; text?: string; data?: Fields }[];
}

export const asksOf = (api: Api, sessionId: string, query = ''): Promise<Ask[]> =>
  api.get(`/v1/asks?session_id=${encodeURIComponent(sessionId)}&limit=500${query}`);
export const runsOf = (api: Api, sessionId: string): Promise<Run[]> =>
  api.get(`/v1/runs?session_id=${encodeURIComponent(sessionId)}&limit=500`);

/** The pending ask of a tool call; any of the session where none is named. */
export const pendingAsk = (api: Api, sessionId: string, callId?: string): Promise<Ask> =>
  until(async () => {
    const pending = await asksOf(api, sessionId, '&status=pending').catch((error: unknown) => {
      if (error instanceof Refused && error.status === 404) return [];
      throw error;
    });
    return pending.find((ask) => callId === undefined || ask.tool_call_id === callId);
  });

export const decide = (api: Api, { ask_id, run_id }: Ask, decision: Fields): Promise<Run> =>
  api.post(`/v1/runs/${run_id}/approvals`, { resolutions: [{ request_id: ask_id, ...decision }] });
export const answer = (api: Api, { ask_id, run_id }: Ask, ...answers: Fields[]): Promise<Run> =>
  api.post(`/v1/runs/${run_id}/questions`, { resolution: { request_id: ask_id, answers } });

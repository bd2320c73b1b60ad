// Declares what a delegate is told and what it says: a program or URL that decides approvals for the server's rules.
import type { MaybePromise } from './ports.ts';

export interface DelegateCall {
  to: string;
  agent: string;
  session_id: string;
  request_id: string;
  tool_name: string;
  input: Record<string, unknown>;
  work_folder: string | undefined;
}

/** `ask`: a person decides. So where it failed, with the reason. */
export interface Verdict {
  decision: 'allow' | 'ask' | 'reject';
  reason: string;
  /** It did not decide that a person is asked: it did not start, took too long or replied something else. */
  hasFailed?: boolean;
}

export type ConsultDelegate = (call: DelegateCall) => MaybePromise<Verdict>;

// Declares the limits of one caller. Configurable; zero switches a limit off.

export interface Limits {
  agentRequestsPerSecond: number;
  agentBurst: number;
  agentStreams: number;
  otherStreams: number;
  pendingAsksPerSession: number;
  bodyBytes: number;
  signInsPerMinute: number;
}

export const DEFAULT_LIMITS: Limits = {
  agentRequestsPerSecond: 100,
  agentBurst: 200,
  agentStreams: 1000,
  otherStreams: 10_000,
  pendingAsksPerSession: 1000,
  bodyBytes: 1024 * 1024,
  signInsPerMinute: 60,
};

// Declares the limits of one caller. Configurable; zero switches a limit off.

export interface Limits {
  agentRequestsPerSecond: number;
  agentBurst: number;
  agentBytesPerSecond: number;
  workerRequestsPerSecond: number;
  workerBurst: number;
  workerBytesPerSecond: number;
  agentStreams: number;
  otherStreams: number;
  pendingAsksPerSession: number;
  sessionBytesPerDay: number;
  bodyBytes: number;
  signInsPerMinute: number;
}

export const DEFAULT_LIMITS: Limits = {
  agentRequestsPerSecond: 100,
  agentBurst: 200,
  agentBytesPerSecond: 1024 * 1024,
  workerRequestsPerSecond: 2000,
  workerBurst: 4000,
  workerBytesPerSecond: 8 * 1024 * 1024,
  agentStreams: 1000,
  otherStreams: 10_000,
  pendingAsksPerSession: 1000,
  sessionBytesPerDay: 256 * 1024 * 1024,
  bodyBytes: 1024 * 1024,
  signInsPerMinute: 60,
};

// A real gateway over a real SQLite store in a temporary folder, with a clock that moves only when told to and ids that
// come in the same order every time. Nothing runs in the background: time passes in `sweep`, a crash is `restart`.
import { hash as digest } from 'node:crypto';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openAuditKeys } from '../../src/boot/audit-keys.ts';
import type { Surface } from '../../src/core/ask.ts';
import { HoldpointError } from '../../src/core/errors.ts';
import { sortableId } from '../../src/core/id.ts';
import type { Ports, Store } from '../../src/core/ports.ts';
import type { Actor } from '../../src/core/token.ts';
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

export const EPOCH = 1_800_000_000_000;
export const hash = (text: string): string => digest('sha256', text, 'hex');

export interface OpenGateway {
  readonly gateway: Gateway;
  readonly ports: Ports;
  /** The store itself, beneath whatever wraps it. */
  readonly store: Store;
  readonly now: number;
  advance(ms: number): void;
  /** Does once what the clockwork does from time to time: deadlines, lost workers, old mail, old keys. */
  sweep(): Promise<void>;
  /** Closes the store, opens it again and starts, as after a crash that took these workers with it. */
  restart(lostWorkers?: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Stands between the gateway and the store, for faults. */
  wrap?: (store: Store) => Store;
  pendingAsksPerSession?: number;
}

export async function openGateway(options: GatewayOptions = {}): Promise<OpenGateway> {
  const folder = mkdtempSync(join(quickFolder(), 'holdpoint-gateway-'));
  const sealer = createSealer(Buffer.alloc(32, 7));
  let now = EPOCH;
  let made = 0;
  let store: Store;
  let ports: Ports;
  const settings = {
    pendingAsksPerSession: options.pendingAsksPerSession ?? 1000,
    leaseGraceMs: 0,
    onError: (error: unknown) => {
      throw error;
    },
  };
  const start = async (lostWorkers: readonly string[]): Promise<Gateway> => {
    const gateway = createGateway(ports, settings);
    await gateway.start(lostWorkers);
    await gateway.stop();
    return gateway;
  };
  const open = async (lostWorkers: readonly string[] = []): Promise<Gateway> => {
    store = await openSqlite(folder, hash);
    ports = {
      store: options.wrap?.(store) ?? store,
      clock: { now: () => now },
      ids: { next: (prefix) => sortableId(prefix, now, counted(++made)), secret: () => `secret ${++made}` },
      hash,
      sealer,
      auditKeys: openAuditKeys(undefined, folder, sealer),
      isDispatchAgent: (agent) => agent === 'exec',
      takesSettings: (agent) => agent === 'claude',
    };
    return start(lostWorkers);
  };
  let gateway = await open();
  return {
    get gateway() {
      return gateway;
    },
    get ports() {
      return ports;
    },
    get store() {
      return store;
    },
    get now() {
      return now;
    },
    advance(ms) {
      now += ms;
    },
    async sweep() {
      await start([]);
    },
    async restart(lostWorkers) {
      await store.close();
      gateway = await open(lostWorkers);
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const person = (name: string, surface: Surface = 'api'): Actor => ({
  name,
  person: name,
  kind: 'bearer',
  scope: 'operator',
  tokenId: `tok_${name}`,
  sessionId: undefined,
  surface,
});

/** `ok`, or the code of the refusal. Anything else that is thrown is a defect and fails the test. */
export async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'ok';
  } catch (error) {
    if (error instanceof HoldpointError) return error.code;
    throw error;
  }
}

/** What is under test here is not the disk: memory where the system has it. */
function quickFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}

function counted(n: number): Uint8Array {
  const bytes = new Uint8Array(16);
  for (let rest = n, i = 15; i >= 0; i--, rest = Math.floor(rest / 32)) bytes[i] = rest % 32;
  return bytes;
}

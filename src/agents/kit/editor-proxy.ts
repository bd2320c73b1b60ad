// Declares what stands between an editor and the program of an agent that the editor would otherwise start itself: it passes
// lines on in both directions, and asks here too what the program asks the editor.
import type { Client } from '../../client/client.ts';
import type { AttachedContext, HookCall } from '../agent.ts';

export interface EditorProxies {
  create(context: EditorProxyContext): EditorProxy;
  /** Ends what a proxy that was killed has left open. Rejects when the server could not be reached. */
  endAbandoned(client: Client, call: HookCall): Promise<void>;
}

export interface EditorProxyContext extends AttachedContext {
  /** The label of the machine's state folder that sessions of its attached agents carry. */
  machine: string;
  /** The folder in which the editor started it. */
  folder: string;
  toEditor(line: string): void;
  toAgent(line: string): void;
  /** Reports in plain words what cannot be asked here; the editor asks it all the same. */
  onNotAsked(problem: string): void;
  /** Records a run on disk, in case this process is killed; the returned function removes the record. */
  record(call: HookCall): () => Promise<void>;
}

export interface EditorProxy {
  /** Takes one line of the editor. */
  fromEditor(line: string): void;
  /** Takes one line of the program. */
  fromAgent(line: string): void;
  /** One of them is gone: ends what is open. */
  close(): Promise<void>;
}

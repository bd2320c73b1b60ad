// The desktop that a browser shows notifications on: a D-Bus session bus with the service `org.freedesktop.Notifications`
// on it, as far as Chromium needs them. A test sees what a person would see, and presses as the desktop would report it.
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type DbusMessage, dbusMessage, messagesIn, type Values } from './dbus-message.ts';

export interface DesktopNotification {
  id: number;
  title: string;
  body: string;
  /** Of each button: what the desktop reports, and what it says. */
  buttons: Map<string, string>;
}

const SERVICE = 'org.freedesktop.Notifications';
const OWNER = ':1.2';
const UNKNOWN = 'org.freedesktop.DBus.Error.ServiceUnknown';
const CAPABILITIES = ['actions', 'body', 'persistence'];

export class Desktop {
  readonly shown = new Map<number, DesktopNotification>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#serve(socket));
  readonly #path: string;
  #last = 0;

  private constructor(folder: string) {
    this.#path = join(folder, 'bus');
  }

  static async start(folder: string): Promise<Desktop> {
    const desktop = new Desktop(folder);
    await new Promise<void>((done) => desktop.#server.listen(desktop.#path, done));
    return desktop;
  }

  get env(): { DBUS_SESSION_BUS_ADDRESS: string } {
    return { DBUS_SESSION_BUS_ADDRESS: `unix:path=${this.#path}` };
  }

  /** Presses a button by what it says; without one, the notification itself. */
  press(title: string, button?: string): void {
    const found = [...this.shown.values()].find((each) => each.title === title);
    const key = [...(found?.buttons ?? [])].find(([key_, label]) =>
      button === undefined ? key_ === 'default' : label === button,
    )?.[0];
    if (!found || key === undefined) throw new Error(`there is no "${button ?? 'default'}" on "${title}"`);
    this.#signal('ActionInvoked', 'us', [found.id, key]);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    let rest: Buffer = Buffer.alloc(0);
    let isAuthenticated = false;
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      if (!isAuthenticated) {
        for (let end = rest.indexOf('\r\n'); end >= 0 && !isAuthenticated; end = rest.indexOf('\r\n')) {
          const line = rest.subarray(0, end).toString();
          rest = rest.subarray(end + 2);
          if (line.includes('AUTH')) socket.write(`OK ${'0'.repeat(32)}\r\n`);
          else if (line === 'BEGIN') isAuthenticated = true;
          else socket.write('ERROR\r\n');
        }
        if (!isAuthenticated) return;
      }
      const { messages, left } = messagesIn(rest);
      rest = left;
      for (const message of messages) if (message.type === 1) this.#answer(socket, message);
    });
  }

  #answer(socket: Socket, call: DbusMessage): void {
    const reply = this.#replyTo(call);
    const sender = call.destination === SERVICE ? OWNER : 'org.freedesktop.DBus';
    const common = { replySerial: call.serial, sender, destination: ':1.1' };
    socket.write(
      reply
        ? dbusMessage({ ...common, type: 2, signature: reply[0] }, reply[1])
        : dbusMessage({ ...common, type: 3, error: UNKNOWN, signature: 's' }, ['unknown']),
    );
  }

  #replyTo({ member, values }: DbusMessage): [string, Values] | undefined {
    const isKnown = values[0] === SERVICE;
    switch (member) {
      case 'Hello':
        return ['s', [':1.1']];
      case 'AddMatch':
      case 'RemoveMatch':
        return ['', []];
      case 'RequestName':
        return ['u', [1]];
      case 'NameHasOwner':
        return ['b', [isKnown ? 1 : 0]];
      case 'GetNameOwner':
        return isKnown ? ['s', [OWNER]] : undefined;
      case 'StartServiceByName':
        return isKnown ? ['u', [2]] : undefined;
      case 'ListNames':
      case 'ListActivatableNames':
        return ['as', [[SERVICE]]];
      case 'GetCapabilities':
        return ['as', [CAPABILITIES]];
      case 'GetServerInformation':
        return ['ssss', ['desktop', 'test', '1', '1.2']];
      case 'Notify':
        return ['u', [this.#show(values)]];
      case 'CloseNotification':
        this.#close(Number(values[0]));
        return ['', []];
      default:
        return undefined;
    }
  }

  #show([, replaces, , title, body, actions]: Values): number {
    const id = Number(replaces) || ++this.#last;
    const pairs = actions as string[];
    const buttons = new Map(pairs.flatMap((key, i) => (i % 2 === 0 ? [[key, pairs[i + 1] ?? ''] as const] : [])));
    this.shown.set(id, { id, title: String(title), body: String(body), buttons });
    return id;
  }

  #close(id: number): void {
    if (this.shown.delete(id)) this.#signal('NotificationClosed', 'uu', [id, 3]);
  }

  #signal(member: string, signature: string, values: Values): void {
    const path = '/org/freedesktop/Notifications';
    const message = dbusMessage({ type: 4, path, interface: SERVICE, member, sender: OWNER, signature }, values);
    for (const socket of this.#sockets) socket.write(message);
  }
}

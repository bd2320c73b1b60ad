// Which OpenCode server is followed is written down with its password, shown without it, and gone after `disconnect`.
import { describe, expect, it } from 'vitest';
import { connector } from '../../../src/agents/opencode/connect.ts';

const target = { url: 'http://holdpoint', token: '', data: '/state', program: 'holdpoint' };
const env = { OPENCODE_URL: 'http://127.0.0.1:5000', OPENCODE_SERVER_PASSWORD: 'very "secret"' };

describe('the connector of OpenCode', () => {
  it('writes the address and the password of a running server into the state folder', () => {
    expect(connector.file({ HOLDPOINT_DATA: '/state' })).toBe('/state/opencode-server.json');
    const text = connector.connected(undefined, { ...target, env });
    expect(JSON.parse(text)).toEqual({
      url: env.OPENCODE_URL,
      user: 'opencode',
      password: env.OPENCODE_SERVER_PASSWORD,
      holdpoint: 'http://holdpoint',
    });
    expect(connector.isConnected(text)).toBe(true);
    expect(connector.targets(text)).toEqual([{ url: 'http://holdpoint' }]);
    expect(connector.shown(text)).not.toContain('secret');
  });

  it('assumes the usual port, and no password where none is set', () => {
    const { password, url } = JSON.parse(connector.connected(undefined, target));
    expect([password, url]).toEqual([undefined, 'http://127.0.0.1:4096']);
  });

  it('refuses a second server, and an address that is none', () => {
    const text = connector.connected(undefined, { ...target, env });
    expect(() => connector.connected(text, { ...target, env })).toThrow(/names http:\/\/127.0.0.1:5000 already/);
    for (const url of ['http://opencode:hunter2@127.0.0.1:5000', 'http://127.0.0.1:5000/prefix'])
      expect(() => connector.connected(undefined, { ...target, env: { OPENCODE_URL: url } })).toThrow(
        /^OPENCODE_URL is an address such as .* OPENCODE_SERVER_PASSWORD\.$/,
      );
    expect(() => connector.connected(undefined, { ...target, env: { OPENCODE_URL: 'localhost' } })).toThrow(
      /does not name/,
    );
  });

  it('leaves nothing of a file that was changed since', () => {
    const left = connector.disconnected('{"url":"x"}');
    expect(connector.isConnected(left)).toBe(false);
    expect(connector.targets(left)).toEqual([]);
  });
});

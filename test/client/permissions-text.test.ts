// What a session says about its approvals: never that they are asked where a worker may decide otherwise.
import { expect, it } from 'vitest';
import { permissionsText } from '../../src/client/permissions-text.ts';
import type { SessionView } from '../../src/core/views.ts';

it.each([
  ['approval', 'session', 'approvals are asked, set for this session'],
  ['autonomous', 'worker', 'nothing is asked (autonomous), set by its worker'],
  ['approval', 'default', 'approvals are asked; a worker that runs as autonomous would skip them'],
] as const)('describes %s from the %s', (permissions, permissions_from, text) => {
  expect(permissionsText({ permissions, permissions_from } as SessionView)).toBe(text);
});

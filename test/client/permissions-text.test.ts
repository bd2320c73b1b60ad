// What a session says about its approvals: never that they are asked where a worker may decide otherwise.
import { expect, it } from 'vitest';
import { permissionsText } from '../../src/client/permissions-text.ts';
import type { SessionView } from '../../src/core/views.ts';

it.each([
  ['approval', 'session', 'asks for approval, set for this session'],
  ['autonomous', 'worker', 'asks for nothing (autonomous), set by its worker'],
  ['approval', 'default', 'asks for approval, unless the worker that runs it is set to autonomous'],
] as const)('describes %s from the %s', (permissions, permissions_from, text) => {
  expect(permissionsText({ permissions, permissions_from } as SessionView)).toBe(text);
});

// Reads the access table of SPEC.md: every route with what each kind of token may do there.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableUnder } from './markdown-table.ts';

export const TOKEN_KINDS = ['operator', 'viewer', 'worker', 'agent', 'run', 'attached', 'skill', 'none'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** `all`: any id; `own`: only what the token belongs to; `page`: only from the server's own page; `–`: refused. */
export type Access = 'all' | 'own' | 'page' | '–';
const ACCESS: readonly string[] = ['all', 'own', 'page', '–'] satisfies Access[];

export interface AccessRow {
  method: string;
  /** As the OpenAPI document writes it: `/v1/runs/{run_id}`. */
  path: string;
  access: Record<TokenKind, Access>;
}

export function accessTable(): AccessRow[] {
  const document = readFileSync(join(import.meta.dirname, '../../SPEC.md'), 'utf8');
  return tableUnder(document, 'Routes').flatMap(([routes = '', ...cells]) => {
    const access = Object.fromEntries(TOKEN_KINDS.map((kind, i) => [kind, accessIn(cells[i], routes)]));
    return [...routes.matchAll(/`(\w+) ([^`]+)`/g)].map(([, method = '', path = '']) => ({
      method,
      path,
      access: access as AccessRow['access'],
    }));
  });
}

function accessIn(cell: string | undefined, routes: string): Access {
  if (cell === undefined || !ACCESS.includes(cell)) throw new Error(`${routes}: "${cell}" is no access`);
  return cell as Access;
}

/** The scopes that the OpenAPI document must declare for a row; none for an open route. */
export function scopesOf({ access }: AccessRow): string[] {
  if (access.none !== '–') return [];
  const may = (kind: TokenKind) => access[kind] !== '–';
  return [
    ...(may('operator') ? ['operator'] : []),
    ...(may('viewer') ? ['viewer'] : []),
    ...(may('worker') ? ['worker'] : []),
    ...(may('agent') || may('run') ? ['agent'] : []),
    ...(may('attached') ? ['attached'] : []),
    ...(may('skill') ? ['skill_identity'] : []),
  ];
}

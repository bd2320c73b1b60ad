// Receives the hook calls of a person's own agents. Authorises the caller like every other route and passes the payload
// to the agent's hook server, which alone interprets it. Never answers an ask.
import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { looseObject } from '../../core/fields.ts';
import { goneSignal } from '../request.ts';
import type { Context } from './route.ts';

/**
 * One for each agent that can be attached by hooks. The reply is in the words of the agent's own protocol. `ambiguity`: why
 * the payload may not be what the agent means; an event that only reports is still taken.
 */
export type HookHandlers = Readonly<
  Record<string, (payload: unknown, signal: AbortSignal, ambiguity?: string, caller?: Caller) => Promise<object>>
>;

/** The hook token that calls; it may be asked whether another one is still valid. */
interface Caller {
  tokenId: string;
  isValid(tokenId: string): Promise<boolean>;
}

/** A run that Holdpoint itself hosts says so: what it asks is on its way already. */
const MANAGED = 'holdpoint-run';

/** An agent tells of a whole file, more than once, when it has changed one. */
const BODY_BYTES = 8 * 1024 * 1024;

export function addHooks({ app, gateway, throttle }: Context, handlers: HookHandlers): void {
  const bodyBytes = Math.max(app.initialConfig.bodyLimit ?? 0, BODY_BYTES);
  app.post(
    '/v1/hooks/:agent',
    {
      config: { scopes: ['attached', 'operator'], anyText: true, mayBeAmbiguous: true, bodyBytes },
      bodyLimit: bodyBytes,
      schema: { params: z.object({ agent: z.string() }), body: looseObject },
    },
    async (request, reply) => {
      const { agent } = request.params;
      const handle = Object.hasOwn(handlers, agent) ? handlers[agent] : undefined;
      if (!handle)
        throw fail(
          'route_not_found',
          `No agent "${agent}" is attached by hooks. Known: ${Object.keys(handlers).join(', ')}.`,
        );
      const managed = request.headers[MANAGED];
      if (typeof managed === 'string' && /^run_/.test(managed)) return {};
      reply.raw.once('close', throttle.open(request.actor));
      const { scope, tokenId } = request.actor;
      const caller = scope === 'attached' ? { tokenId, isValid: gateway.isTokenGood } : undefined;
      return handle(request.body, goneSignal(reply), request.ambiguity, caller);
    },
  );
}

// What time does: deadlines pass, with and without somebody who comes too late; leases lapse, mail grows old, the
// server is closed and started again.
import { type OpenGateway, person } from '../../support/gateway.ts';
import { type Ask, expire, type ModelState, sweep } from './model.ts';
import { askIn, type Got, got, OK, type Plan, RESOLUTIONS } from './steps.ts';

const eve = person('eve');
const WEEK_MS = 7 * 24 * 3600 * 1000;

export const advance: Plan = (_, picks) => {
  const ms = picks.of(1, 499, 500, 5_000, 9_999, 10_000, 10_000, WEEK_MS);
  return {
    name: `advance ${ms} ms`,
    async call(real) {
      real.advance(ms);
      await real.sweep();
      return { code: 'ok', id: '' };
    },
    expect(model) {
      model.now += ms;
      sweep(model);
      return OK;
    },
  };
};

/** At the very instant of the next deadline, before anything has swept, somebody touches the ask that is due. */
export const late: Plan = (w, picks) => {
  const ask = nextDeadline(w);
  if (ask?.expiresAt === undefined) return undefined;
  const ms = Math.max(0, ask.expiresAt - w.now);
  const what = picks.of('answer', 'cancel', 'show');
  const { id, kind } = ask;
  const runId = ask.run.id;
  const touch = ({ gateway }: OpenGateway): Promise<Got> => {
    if (what === 'show') return got(gateway.showAsk(id, eve), (view) => ({ id: view.status }));
    if (kind === 'approval')
      return got(gateway.approveForRun({ runId, resolutions: [{ request_id: id, behavior: 'allow' }], actor: eve }));
    if (what === 'cancel') return got(gateway.cancelQuestion({ runId, requestId: id, actor: eve }));
    return got(gateway.answerForRun({ runId, resolution: { request_id: id, ...RESOLUTIONS[0][0] }, actor: eve }));
  };
  return {
    name: `late ${what} of ${kind} ${id}, ${ms} ms later`,
    async call(real) {
      real.advance(ms);
      const told = await touch(real);
      await real.sweep();
      return told;
    },
    expect(model, told) {
      model.now += ms;
      // Who only looks has all that is overdue expired at once.
      if (what !== 'show') expire(model, askIn(model, id));
      sweep(model);
      if (what === 'show') return [told.id === 'expired' ? 'ok' : `shown as ${told.id}`];
      return [kind === 'approval' ? 'approval_state_conflict' : 'question_expired'];
    },
  };
};

const nextDeadline = (w: ModelState): Ask | undefined =>
  w.asks
    .filter((a) => a.status === 'pending' && a.expiresAt !== undefined)
    .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))[0];

export const restart: Plan = (_, picks) => {
  const lost = picks.of(['builtin'], []);
  const ms = picks.of(0, 500, 5_000, 10_000);
  return {
    name: `restart after ${ms} ms, ${lost.join() || 'no worker'} lost`,
    async call(real) {
      real.advance(ms);
      await real.restart(lost);
      return { code: 'ok', id: '' };
    },
    expect(model) {
      model.now += ms;
      sweep(model, lost);
      return OK;
    },
  };
};

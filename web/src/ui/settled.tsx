// Shows how an ask ended: by whom, when, from which surface and with what answer; and whether the agent received it.
import type { AskView } from '../../../src/core/views.ts';
import { useMe } from '../hooks/me.ts';
import { answersGiven, expiredMeans, isInDelivery, reasonOf } from '../text/answer-text.ts';
import { endText, verbOf } from '../text/ask-text.ts';
import { Age } from './age.tsx';
import { AlwaysGiven } from './always-given.tsx';
import { Code } from './code.tsx';
import { Facts } from './facts.tsx';
import { Prose } from './text.tsx';
import { ToneIcon, toneOf } from './tone-icon.tsx';
import './settled.css';

export function Settled({ ask }: { ask: AskView }) {
  const { answer } = ask;
  const me = useMe()?.name;
  if (!answer) return null;
  const given = answersGiven(ask);
  const reason = reasonOf(answer);
  const means = expiredMeans(ask);
  return (
    <section className={`settled-box box ${toneOf(ask)}`} aria-label="How it ended">
      <div className="settled-head">
        <ToneIcon ask={ask} />
        <span>{endText(ask, me)}</span>
        <Age atMs={answer.answered_at_ms} />
        <DeliveryChip ask={ask} />
      </div>
      {means !== undefined && <p>{means}</p>}
      {reason !== undefined && (
        <p className="prose">
          <Prose text={reason} />
        </p>
      )}
      {given.length > 0 && (
        <Facts>
          {given.map(({ header, text }) => (
            <div key={header}>
              <dt>
                <Prose text={header} />
              </dt>
              <dd className="prose">
                <Prose text={text} />
              </dd>
            </div>
          ))}
        </Facts>
      )}
      {(answer.grant_id !== undefined || (answer.suggestion_ids ?? []).length > 0) && (
        <p className="small">
          Allowed
          <AlwaysGiven ask={ask} />
        </p>
      )}
      {answer.updated_input && (
        <Code
          title={`${verbOf(answer, ask.request)} instead`}
          text={JSON.stringify(answer.updated_input, undefined, 2)}
          language="json"
          isWhole
          onWhole={() => {}}
        />
      )}
    </section>
  );
}

function DeliveryChip({ ask }: { ask: AskView }) {
  if (ask.delivery.state === 'delivered') return <span className="chip">Delivered</span>;
  if (isInDelivery(ask)) return <span className="chip warn">Delivering…</span>;
  return null;
}

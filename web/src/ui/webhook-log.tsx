// Lists webhooks with what was sent to them last, and sends it again. They are added on the command line, which shows their
// secret once.
import type { NoticeView, WebhookView } from '../../../src/core/notice-views.ts';
import { api } from '../api.ts';
import { useFetched } from '../hooks/queries.ts';
import { toast } from '../hooks/toasts.ts';
import { failureText } from '../text/failure.ts';
import { Age } from './age.tsx';
import { Exact } from './text.tsx';

export function WebhookLog() {
  const { data } = useFetched({ queryKey: ['webhooks'], queryFn: () => api.webhooks.list(), staleTime: 0 });
  return (
    <section className="notify-section" aria-label="Webhooks">
      <h2>Webhooks</h2>
      {data?.length === 0 && (
        <p className="muted">
          None. <code>holdpoint webhooks add</code> sends events to Slack, ntfy, a mail bridge or your own program.
        </p>
      )}
      {data?.map((webhook) => (
        <Deliveries key={webhook.webhook_id} webhook={webhook} />
      ))}
    </section>
  );
}

const SHOWN = 20;

/** Also while it is retried, which may be in an hour. */
const hasFailed = ({ state, attempts }: NoticeView): boolean => state === 'failed' || (state === 'due' && attempts > 0);

function Deliveries({ webhook }: { webhook: WebhookView }) {
  const { webhook_id: id, name, host, lost } = webhook;
  const { data, refetch } = useFetched({
    queryKey: ['deliveries', id],
    queryFn: () => api.webhooks.deliveries(id, { limit: SHOWN }),
    staleTime: 0,
  });
  const again = async (noticeIds?: string[]) => {
    try {
      const sent = await api.webhooks.redeliver(id, noticeIds ? { notice_ids: noticeIds } : {});
      toast(sent.length === 0 ? 'There was nothing to send again.' : `${sent.length} are sent again.`);
    } catch (error) {
      toast(failureText(error), 'warn');
    }
    await refetch();
  };
  return (
    <details open={data?.items.some(hasFailed) ?? false}>
      <summary>
        <Exact text={name} /> at <Exact text={host} />
        {lost !== undefined && `, not reached any more: ${lost}`}
      </summary>
      {data?.items.length === 0 && <p className="muted">Nothing was sent yet.</p>}
      <ul className="notify-list">
        {data?.items.map((notice) => (
          <DeliveryRow
            key={notice.notice_id}
            notice={notice}
            onAgain={lost === undefined ? () => void again([notice.notice_id]) : undefined}
          />
        ))}
      </ul>
      {lost === undefined && data?.items.some(hasFailed) && (
        <button type="button" className="button" onClick={() => void again()}>
          Send again what failed
        </button>
      )}
    </details>
  );
}

const DeliveryRow = ({ notice, onAgain }: { notice: NoticeView; onAgain: (() => void) | undefined }) => (
  <li>
    <span>
      {notice.event}, {notice.state}
      {notice.attempts > 1 && ` after ${notice.attempts} attempts`}
    </span>
    <span className="small muted">
      <Age atMs={notice.created_at_ms} />
      {notice.reason !== undefined && `: ${notice.reason}`}
    </span>
    {onAgain && (notice.state === 'accepted' || hasFailed(notice)) && (
      <button type="button" className="button" onClick={onAgain}>
        Send again
      </button>
    )}
  </li>
);

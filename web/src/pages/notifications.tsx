// Shows the settings of notifications: this device, other devices, quiet hours, a phone, and what was sent to webhooks.

import { api } from '../api.ts';
import { useMayAnswer } from '../hooks/me.ts';
import { useFetched } from '../hooks/queries.ts';
import { failureText } from '../text/failure.ts';
import { Page } from '../ui/page.tsx';
import { PhoneLink } from '../ui/phone-link.tsx';
import { PushSettings } from '../ui/push-settings.tsx';
import { QuietHoursField } from '../ui/quiet-hours.tsx';
import { WebhookLog } from '../ui/webhook-log.tsx';
import './notifications.css';

export default function NotificationsPage() {
  const mayAnswer = useMayAnswer();
  const settings = useFetched({ queryKey: ['notices'], queryFn: () => api.notices.settings(), staleTime: 0 });
  const { data, error, refetch } = settings;
  return (
    <Page title="Notifications">
      {error && <p className="notice bad">{failureText(error)}</p>}
      {data?.routes_fault !== undefined && <p className="notice bad">{data.routes_fault}</p>}
      {data && data.unknown_names.length > 0 && (
        <p className="notice bad">
          Routes name {data.unknown_names.join(', ')}, who has no device and no webhook: nobody is told in their place.
        </p>
      )}
      <PushSettings />
      {data && <QuietHoursField hours={data.quiet_hours} onSaved={() => void refetch()} />}
      {mayAnswer && <PhoneLink />}
      {mayAnswer && <WebhookLog />}
    </Page>
  );
}

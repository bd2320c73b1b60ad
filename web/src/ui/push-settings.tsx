// Switches notifications of this device, tests them, and lists the devices that are notified.
import { useState } from 'react';
import type { DeviceView } from '../../../src/core/notice-views.ts';
import { api } from '../api.ts';
import { switchNotifications, useNotificationState } from '../hooks/notifications.ts';
import { ownDeviceId, subscribeToPush } from '../hooks/push.ts';
import { useFetched } from '../hooks/queries.ts';
import { failureText } from '../text/failure.ts';
import { Age } from './age.tsx';
import { ConfirmButton } from './confirm-button.tsx';
import { Exact } from './text.tsx';

const STATES = {
  unsupported: 'This browser cannot show notifications.',
  off: 'Off: you see new requests while this page is open.',
  blocked: 'Your browser blocks notifications of this page. Allow them in its settings for this site.',
} as const;
const OPEN_ONLY = 'On, but only while this page is open';

export function PushSettings() {
  const state = useNotificationState();
  const [said, setSaid] = useState('');
  const devices = useFetched({ queryKey: ['devices'], queryFn: () => api.notices.devices(), staleTime: 0 });
  const own = devices.data?.find(({ device_id, lost }) => device_id === ownDeviceId() && lost === undefined);
  const attempt = (what: () => Promise<string>) => async () => {
    setSaid('One moment…');
    setSaid(await what().catch(failureText));
    await devices.refetch();
  };
  const turn = attempt(async () => {
    const fault = await switchNotifications(state !== 'on');
    return fault === undefined ? '' : `${OPEN_ONLY}. ${fault.replace(/\.$/, '')}.`;
  });
  const test = attempt(async () => {
    const { results, problem } = await api.notices.test();
    const failed = results.find((each) => each.state !== 'accepted');
    return problem ?? (failed ? `Not sent: ${failed.reason ?? failed.state}` : 'Sent. It should appear in a moment.');
  });
  const offerAllow = (allow: boolean) =>
    attempt(async () => {
      await subscribeToPush(allow);
      return '';
    })();
  const text =
    state !== 'on'
      ? STATES[state]
      : own || !devices.data
        ? 'On, also while this page is closed.'
        : `${OPEN_ONLY}. Switch them off and on to try again.`;
  return (
    <section className="notify-section" aria-label="This device">
      <h2>This device</h2>
      <div className="notify-row">
        <button
          type="button"
          role="switch"
          className="button"
          aria-checked={state === 'on'}
          disabled={state === 'unsupported'}
          onClick={turn}
        >
          {state === 'on' ? 'Switch notifications off' : 'Switch notifications on'}
        </button>
        {own && (
          <button type="button" className="button" onClick={test}>
            Send a test
          </button>
        )}
        <span className="muted" role="status">
          {said === '' ? text : said}
        </span>
      </div>
      {own && (
        <label className="notify-row">
          <input
            type="checkbox"
            checked={own.allow_action}
            onChange={({ target }) => void offerAllow(target.checked)}
          />
          Offer Allow on notifications too, where all of it is shown and no risk is found
        </label>
      )}
      <h2>Devices that are notified</h2>
      {devices.data?.length === 0 && <p className="muted">None yet.</p>}
      <ul className="notify-list">
        {devices.data?.map((device) => (
          <DeviceRow key={device.device_id} device={device} onRemoved={() => void devices.refetch()} />
        ))}
      </ul>
    </section>
  );
}

function DeviceRow({ device, onRemoved }: { device: DeviceView; onRemoved: () => void }) {
  const remove = async () => {
    await api.notices.removeDevice(device.device_id);
    onRemoved();
  };
  return (
    <li>
      <span>
        <Exact text={device.name} />: <Exact text={device.label} />
      </span>
      <span className="small muted">
        <Age atMs={device.created_at_ms} />
        {device.lost !== undefined && `, not reached any more: ${device.lost}`}
      </span>
      <ConfirmButton className="button" question="Notify it no more?" act={remove}>
        Remove
      </ConfirmButton>
    </li>
  );
}

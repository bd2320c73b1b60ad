// Shows a QR code that opens the page on a phone, signed in, or says what is missing for a phone to reach it.
import { useState } from 'react';
import { encode } from 'uqr';
import { api } from '../api.ts';
import { failureText } from '../text/failure.ts';

const isOnlyHere = (): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(location.hostname);

export function PhoneLink() {
  const [link, setLink] = useState<string>();
  const [fault, setFault] = useState('');
  const make = () =>
    api.signIn.offer({}).then(
      ({ url }) => setLink(url),
      (error: unknown) => setFault(failureText(error)),
    );
  return (
    <section className="notify-section" aria-label="On a phone">
      <h2>On a phone</h2>
      {isOnlyHere() ? (
        <p>
          You opened this page at {location.host}, an address that works only on this machine. To use a phone, open the
          page through a tunnel or a TLS proxy, or start the server with <code>--tls-cert</code>. At that address, a QR
          code appears here. See <code>docs/notifications.md</code>.
        </p>
      ) : (
        <>
          <p>
            The code signs a phone in, once, within ten minutes. On an iPhone, add the page to the home screen to be
            notified.
          </p>
          {link === undefined ? (
            <button type="button" className="button" onClick={() => void make()}>
              Show a QR code
            </button>
          ) : (
            <QrCode text={link} />
          )}
          {location.protocol !== 'https:' && (
            <p className="notice">Without TLS a phone opens the page but is not notified.</p>
          )}
        </>
      )}
      {fault !== '' && <p className="notice bad">{fault}</p>}
    </section>
  );
}

function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 2 });
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg className="notify-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of a sign-in link">
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}

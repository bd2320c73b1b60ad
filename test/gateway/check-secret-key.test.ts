// The secret key of a database: a server with another key than the one it was made with does not start.
import { expect, it } from 'vitest';
import { checkSecretKey } from '../../src/gateway/check-secret-key.ts';
import { createSealer } from '../../src/store/sealer.ts';
import { openGateway } from '../support/gateway.ts';

it('accepts the key that the database was made with and refuses any other', async () => {
  const { ports, close } = await openGateway();
  try {
    await checkSecretKey(ports);
    await checkSecretKey(ports);
    const other = { ...ports, sealer: createSealer(Buffer.alloc(32, 9)) };
    await expect(checkSecretKey(other)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('made with another secret key'),
    });
    await checkSecretKey(ports);
  } finally {
    await close();
  }
});

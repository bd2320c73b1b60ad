// What the two major versions of the official client have in common.
/** `call`: how its method takes options. */
export async function overSdk({ Client, StreamableHTTPClientTransport, StdioClientTransport, call }, to) {
  const client = new Client({ name: 'soak', version: '1' });
  const { url, token, command, args, env } = to;
  await client.connect(
    to.transport === 'http'
      ? new StreamableHTTPClientTransport(new URL(url), {
          requestInit: { headers: { authorization: `Bearer ${token}` } },
        })
      : new StdioClientTransport({ command, args, env, stderr: 'ignore' }),
  );
  return {
    async call(name, given, signal) {
      const result = await call(client, { name, arguments: given }, { signal });
      if (result.isError) throw new Error(result.content[0].text);
      return JSON.parse(result.content[0].text);
    },
    close: () => client.close(),
  };
}

// The official TypeScript client 2.x, with its default settings.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { overSdk } from './sdk.mjs';

export const aborts = { http: true, stdio: true };
const call = (client, params, options) => client.callTool(params, options);
export const connect = (to) => overSdk({ Client, StreamableHTTPClientTransport, StdioClientTransport, call }, to);

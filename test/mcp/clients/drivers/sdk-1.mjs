// The official TypeScript client 1.x, with its default settings.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { overSdk } from './sdk.mjs';

export const aborts = { http: true, stdio: true };
const call = (client, params, options) => client.callTool(params, undefined, options);
export const connect = (to) => overSdk({ Client, StreamableHTTPClientTransport, StdioClientTransport, call }, to);

import { type Application, type ListenOptions, listen, type Server } from '@fairlead/core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type McpOptions, mcp } from '../../src/index.js';

/** The revision of the protocol that has no sessions. */
export const REVISION = '2026-07-28';

/** Installs the plugin and listens. The server closes after the test. */
export async function serve(
  app: Application,
  options: Partial<McpOptions> = {},
  listening: ListenOptions = {},
): Promise<Server> {
  await app.plugin(mcp({ name: 'users', version: '1.2.3', ...options }));
  const server = await listen(app, 0, listening);
  onTestFinished(async () => {
    await server.close({ timeout: 0 });
    await app.close();
  });
  return server;
}

/** Connects the client of the SDK. It closes after the test. */
export async function connect(
  { url }: { readonly url: string },
  headers: Readonly<Record<string, string>> = {},
  mode: { readonly pin: string } | 'legacy' = { pin: REVISION },
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const requestInit = { headers };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool, and returns its text and whether it failed. */
export async function call(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name, arguments: { ...args } });
  const text = content.map((one) => (one.type === 'text' ? one.text : `(${one.type})`)).join('\n');
  return { text, isError };
}

/** The members that every message needs. */
export function message(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  version = REVISION,
) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } };
}

/** Sends a message without a client. */
export async function post(
  { url }: { readonly url: string },
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly body: unknown; readonly headers: Headers }> {
  const { method = '', params }: { method?: string; params?: { name?: string } } = Object(body);
  const response = await fetch(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': REVISION,
      ...(method !== '' && { 'Mcp-Method': method }),
      ...(params?.name !== undefined && { 'Mcp-Name': params.name }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('{') ? JSON.parse(text) : text,
  };
}

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Application } from '@fairlead/core';
import { essenceOf, isJson } from '@fairlead/options';
import type { Command } from 'commander';
import { acceptModule, withApplication } from '../application.js';
import { UsageError } from '../errors.js';
import { print, printBytes, printError, printJson, style } from '../output.js';
import { parseHeader, parseMethod, parsePath } from '../request.js';

interface FetchOptions {
  readonly method?: string;
  readonly header?: readonly (readonly [string, string])[];
  readonly data?: string;
  readonly include?: true;
  readonly json?: true;
}

export function addFetch(program: Command): void {
  const command = program
    .command('fetch')
    .summary('send a request to the application, in process')
    .description(
      'Sends a request through the whole application, without a port, and prints the body of the response. Exits with 1 if the status is 400 or more.',
    )
    .argument('<path>', 'such as /users?page=2', parsePath);
  acceptModule(command)
    .option('-X, --method <method>', 'default: GET, or POST with --data', parseMethod)
    .option('-H, --header <header>', "such as 'Accept: text/html'; may be repeated", parseHeader)
    .option(
      '-d, --data <data>',
      'body, which is JSON unless a header says otherwise; @file reads a file, @- standard input',
    )
    .option('-i, --include', 'print the status and the headers, too')
    .option('--json', 'print { status, headers, body }')
    .addHelpText('after', `\nExample: fairlead fetch /users -d '{"name":"Ada"}'`)
    .action(async (path: string, module: string | undefined, options: FetchOptions) => {
      const init = await createInit(options);
      await withApplication(module, (app) => send(app, path, init, options));
    });
}

async function createInit({ method, header = [], data }: FetchOptions): Promise<RequestInit> {
  const headers = new Headers(header.map(([name, value]): [string, string] => [name, value]));
  if (data === undefined) return { headers, method: method ?? 'GET' };
  if (method === 'GET' || method === 'HEAD') {
    throw new UsageError(`A ${method} request has no body. Omit --data, or use another method.`);
  }
  if (!headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
  return { headers, method: method ?? 'POST', body: await readData(data) };
}

async function readData(data: string): Promise<string | Buffer<ArrayBuffer>> {
  if (!data.startsWith('@')) return data;
  const file = data.slice(1);
  if (file === '-') return Buffer.from(await buffer(process.stdin));
  try {
    return Buffer.from(await readFile(file));
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(`Cannot read the body: ${message}. Correct the path in --data.`);
  }
}

async function send(
  app: Application,
  path: string,
  init: RequestInit,
  { include, json }: FetchOptions,
): Promise<void> {
  const response = await app.request(path, init);
  const { status, headers, body } = response;
  if (status >= 400) process.exitCode = 1;
  if (json) {
    const cookies = headers.getSetCookie();
    // Only these are not joined by commas. RFC 9110 §5.3
    const several = cookies.length > 1 ? { 'set-cookie': cookies } : {};
    const all = { ...Object.fromEntries(headers), ...several };
    printJson({ status, headers: all, body: await readBody(response) });
    return;
  }
  const line = `${status} ${response.statusText}`.trimEnd();
  if (include) {
    const fields = [...headers].map(([name, value]) => `${style('bold', name)}: ${value}\n`);
    print(`${line}\n${fields.join('')}`);
  } else if (status >= 400) printError(line);
  if (body !== null) await printBytes(body);
}

/** Returns a JSON value, or else a text. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  const type = essenceOf(response.headers.get('Content-Type') ?? '');
  return isJson(type) && text !== '' ? JSON.parse(text) : text;
}

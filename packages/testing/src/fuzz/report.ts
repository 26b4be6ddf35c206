import { variableAt } from './requests.js';
import type { Exchange } from './send.js';
import type { Violation } from './violations.js';

/** Removes what must not be shown: the credentials that were given. */
export class Redaction {
  readonly #secrets = new Set<string>();

  /** Adds the values of headers, what follows their scheme, and longer parts, as they are and as JSON and URLs write them. */
  add(credentials: Readonly<Record<string, string>>): void {
    for (const value of Object.values(credentials)) {
      const parts = value.split(/[\s=;,]+/).filter(({ length }) => length >= LONG);
      for (const secret of [value, value.replace(/^\S+\s+/, ''), ...parts]) {
        if (secret.length < SHORTEST) continue;
        const json = JSON.stringify(secret).slice(1, -1);
        for (const form of [secret, json, encodeURIComponent(secret)]) this.#secrets.add(form);
      }
    }
  }

  apply(text: string): string {
    const longest = [...this.#secrets].sort((one, other) => other.length - one.length);
    return longest.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
  }
}

/** Parts of a value that are shorter are no secrets, such as `Basic`. */
const LONG = 7;

/** Shorter values would hide parts of everything. */
const SHORTEST = 3;

/** Where the commands send requests. */
const ORIGIN = 'http://localhost:8080';

/** Writes requests as commands that can be pasted. Credentials are variables of the shell. */
export function toCommands(exchanges: readonly Exchange[], redaction: Redaction): string {
  return exchanges
    .map(({ request, credentials, response }) => {
      const { method, target, headers, body } = request;
      const sent = Object.entries(headers).filter(([name]) => !Object.hasOwn(credentials, name));
      const parts = [
        `curl -i${method === 'GET' ? '' : ` -X ${method}`} ${quote(ORIGIN + target)}`,
        ...sent.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
        ...Object.keys(credentials).map((name) => `-H "${name}: $${variableOf(name)}"`),
        ...bodyArguments(body),
      ];
      const status = response.status === 0 ? 'no response' : response.status;
      return redaction.apply(`${parts.join(' ')}  # ${status}`);
    })
    .join('\n');
}

function bodyArguments(body: Exchange['request']['body']): readonly string[] {
  if (body === undefined) return [];
  if (body instanceof FormData)
    return [...body].map(([name, value]) =>
      typeof value === 'string'
        ? `-F ${quote(`${name}=${value}`)}`
        : `-F ${quote(`${name}=@${value.name};type=${value.type}`)}`,
    );
  return [`--data-raw ${quote(typeof body === 'string' ? body : new TextDecoder().decode(body))}`];
}

/** Quotes text for a shell. */
function quote(text: string): string {
  if (!/\p{Cc}/u.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text.replace(/[\\'\p{Cc}]/gu, (one) =>
    /[\\']/.test(one) ? `\\${one}` : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `$'${escaped}'`;
}

function variableOf(name: string): string {
  return name.toUpperCase().replaceAll('-', '_');
}

/** Writes a violation as a test with `app.request()` of `createTestApp()`. */
export function toTest(
  { exchanges, assertion, message }: Violation,
  label: string,
  redaction: Redaction,
): string {
  const lines = exchanges.map((exchange, index) => {
    const isLast = index === exchanges.length - 1;
    const variable = isLast ? 'response' : nameAt(index, exchanges);
    const init = initOf(exchange);
    const { source } = exchange.request;
    const target = /\$\{/.test(source) ? `\`${source}\`` : JSON.stringify(source);
    const call = `await app.request(${target}${init === '' ? '' : `, ${init}`});`;
    const names = [...source.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
    return { names, text: variable === undefined ? call : `const ${variable} = ${call}` };
  });
  const declared = new Set<string>();
  const found = new Map(
    exchanges.flatMap(({ request }) => request.found.map((one) => [one.name, one.expression])),
  );
  const body = lines.flatMap(({ names, text }) => {
    const own = names.filter((name) => !declared.has(name));
    for (const name of own) declared.add(name);
    return [...own.map((name) => `const ${name} = ${found.get(name)};`), text];
  });
  // Without the place of an error.
  const [title = ''] = message.split(/\n|, at /, 1);
  const written = [
    `it(${JSON.stringify(`${label}: ${title}`)}, async () => {`,
    '  await using app = await createTestApp({ app: createMyApp, onError: () => {} });',
    ...[...body, assertion].map((line) => `  ${line}`),
    '});',
  ];
  return redaction.apply(written.join('\n'));
}

/** Names a response that a later request needs; undefined for others. */
function nameAt(index: number, exchanges: readonly Exchange[]): string | undefined {
  const given = exchanges[index]?.variable;
  if (given !== undefined) return given;
  const name = variableAt(index);
  const isUsed = exchanges.some(({ request }) =>
    request.found.some(({ expression }) => new RegExp(`\\b${name}\\.`).test(expression)),
  );
  return isUsed ? name : undefined;
}

function initOf({ request, credentials }: Exchange): string {
  const { method, headers, body, json, expressions = {} } = request;
  const isJsonBody = json !== undefined && body !== undefined;
  const sent = Object.entries(headers).filter(
    ([name, value]) =>
      !Object.hasOwn(credentials, name) &&
      !(isJsonBody && name === 'Content-Type' && value === 'application/json'),
  );
  const members = [
    ...sent.map(
      ([name, value]) => `${JSON.stringify(name)}: ${expressions[name] ?? JSON.stringify(value)}`,
    ),
    ...Object.keys(credentials).map(
      (name) => `${JSON.stringify(name)}: process.env.${variableOf(name)} ?? ''`,
    ),
  ];
  const parts = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(members.length === 0 ? [] : [`headers: { ${members.join(', ')} }`]),
    ...(isJsonBody ? [`json: ${JSON.stringify(json.value)}`] : textBody(body)),
  ];
  return parts.length === 0 ? '' : `{ ${parts.join(', ')} }`;
}

function textBody(body: Exchange['request']['body']): readonly string[] {
  if (body === undefined) return [];
  if (body instanceof FormData) return ['body: form /* with the fields of the command */'];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return [`body: ${JSON.stringify(text)}`];
}

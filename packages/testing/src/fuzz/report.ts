import { type Found, markOf, type Origin } from './requests.js';
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
  const parts = listParts(exchanges);
  return exchanges
    .map(({ request, credentials, response }, index) => {
      const { method, source, headers, body, json, told = {} } = request;
      const taken = parts.find((one) => one.index === index);
      const options =
        taken === undefined ? ' -i' : Array.isArray(taken.origin.part) ? ' -s' : ' -si';
      const sent = Object.entries(headers).filter(([name]) => !Object.hasOwn(credentials, name));
      const words = [
        `curl${options}${method === 'GET' ? '' : ` -X ${method}`} ${quote(ORIGIN + source, request, parts)}`,
        ...sent.map(([name, value]) => {
          const part = told[name] && findPart(parts, told[name]);
          return part === undefined
            ? `-H ${quote(`${name}: ${value}`)}`
            : `-H "${name}: $${part.variable}"`;
        }),
        ...Object.keys(credentials).map((name) => `-H "${name}: $${variableOf(name)}"`),
        ...(json === undefined
          ? bodyArguments(body)
          : [`--data-raw ${quote(json.source, request, parts)}`]),
      ];
      const command = words.join(' ');
      const whole =
        taken === undefined
          ? command
          : `${taken.variable}=$(${command} | node -pe ${quote(readingOf(taken.origin))})`;
      const status = response.status === 0 ? 'no response' : response.status;
      return redaction.apply(`${whole}  # ${status}`);
    })
    .join('\n');
}

/** A part of a response that a later request repeats. */
interface Part {
  readonly origin: Origin;
  /** The place of the response. */
  readonly index: number;
  /** Names the part in a test, and in a shell. */
  readonly variable: string;
}

function listParts(exchanges: readonly Exchange[]): readonly Part[] {
  const parts: Part[] = [];
  const origins = exchanges.flatMap(({ request: { found, told = {} } }) => [
    ...found.map(({ name, origin }) => [name, origin] as const),
    ...Object.values(told).map((origin) => ['tag', origin] as const),
  ]);
  for (const [name, origin] of origins) {
    const index = exchanges.findIndex(({ response }) => response === origin.response);
    if (index < 0 || findPart(parts, origin) !== undefined) continue;
    const base = name.replace(/\W/g, '_');
    const isTaken = (name: string) => parts.some(({ variable }) => variable === name);
    let variable = base;
    for (let count = 2; isTaken(variable); count += 1) variable = `${base}${count}`;
    parts.push({ origin, index, variable });
  }
  return parts;
}

function findPart(parts: readonly Part[], { response, part }: Origin): Part | undefined {
  return parts.find(
    ({ origin }) => origin.response === response && String(origin.part) === String(part),
  );
}

/** Returns the program that finds a part in a response that a shell passes on. */
function readingOf({ part }: Origin): string {
  if (part === 'Location') return '/^location:.*\\/(.+)$/im.exec(fs.readFileSync(0))[1]';
  if (part === 'ETag') return '/^etag: *(.+)$/im.exec(fs.readFileSync(0))[1]';
  return `JSON.parse(fs.readFileSync(0)).${part.join('.')}`;
}

/** Returns the expression that finds a part in the response of a test. */
function expressionOf({ part }: Origin, response: string): string {
  if (part === 'Location') return `${response}.headers.get('Location')?.split('/').at(-1)`;
  if (part === 'ETag') return `${response}.headers.get('ETag') ?? ''`;
  return `(await ${response}.json()).${part.join('.')}`;
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

/** Quotes text for a shell, with variables in place of what earlier responses have told. */
function quote(text: string, request?: Exchange['request'], parts: readonly Part[] = []): string {
  const isPlain = !/\p{Cc}/u.test(text);
  const escaped = isPlain
    ? text.replaceAll("'", `'\\''`)
    : text.replace(/[\\'\p{Cc}]/gu, (one) =>
        /[\\']/.test(one) ? `\\${one}` : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  const start = isPlain ? "'" : "$'";
  const filled = replaceMarks(escaped, request, parts, ({ value }, part) =>
    part === undefined ? value : `'"$${part.variable}"${start}`,
  );
  return `${start}${filled}'`.replace(/(?<=")''$/, '');
}

/** Replaces the marks in a text: those of numbers with their quotes. */
function replaceMarks(
  text: string,
  request: Exchange['request'] | undefined,
  parts: readonly Part[],
  show: (one: Found, part: Part | undefined) => string,
): string {
  return (request?.found ?? []).reduce((shown, one, index) => {
    const mark = markOf(index);
    const written = () => show(one, findPart(parts, one.origin));
    return (one.isNumber ? shown.replace(`"${mark}"`, written) : shown).replace(mark, written);
  }, text);
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
  const parts = listParts(exchanges);
  const body = exchanges.flatMap((exchange, index) => {
    const isLast = index === exchanges.length - 1;
    const variable = isLast ? 'response' : nameAt(index, exchange, parts);
    const init = initOf(exchange, exchanges, parts);
    const { request } = exchange;
    const target = replaceMarks(request.source, request, parts, ({ value }, part) =>
      part === undefined ? value : `\${${part.variable}}`,
    );
    const written = target === request.source ? JSON.stringify(target) : `\`${target}\``;
    const call = `await app.request(${written}${init === '' ? '' : `, ${init}`});`;
    const taken = parts.filter((one) => one.index === index && one.origin.part !== 'ETag');
    return [
      variable === undefined ? call : `const ${variable} = ${call}`,
      ...taken.map(
        (one) => `const ${one.variable} = ${expressionOf(one.origin, variable ?? 'response')};`,
      ),
    ];
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
function nameAt(index: number, { variable }: Exchange, parts: readonly Part[]): string | undefined {
  const used = parts.find((one) => one.index === index);
  if (variable !== undefined || used === undefined) return variable;
  if (used.origin.part === 'ETag') return 'read';
  return index === 0 ? 'created' : `created${index + 1}`;
}

function initOf(
  { request, credentials }: Exchange,
  exchanges: readonly Exchange[],
  parts: readonly Part[],
): string {
  const { method, headers, body, json, told = {} } = request;
  const sent = Object.entries(headers).filter(
    ([name, value]) =>
      !Object.hasOwn(credentials, name) &&
      !(json !== undefined && name === 'Content-Type' && value === 'application/json'),
  );
  const expressionFor = (origin: Origin | undefined): string | undefined => {
    const part = origin && findPart(parts, origin);
    const exchange = part && exchanges[part.index];
    if (part === undefined || exchange === undefined) return undefined;
    return expressionOf(part.origin, nameAt(part.index, exchange, parts) ?? '');
  };
  const members = [
    ...sent.map(
      ([name, value]) =>
        `${JSON.stringify(name)}: ${expressionFor(told[name]) ?? JSON.stringify(value)}`,
    ),
    ...Object.keys(credentials).map(
      (name) => `${JSON.stringify(name)}: process.env.${variableOf(name)} ?? ''`,
    ),
  ];
  const all = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(members.length === 0 ? [] : [`headers: { ${members.join(', ')} }`]),
    ...(json === undefined ? textBody(body) : [`json: ${jsonOf(request, json.source, parts)}`]),
  ];
  return all.length === 0 ? '' : `{ ${all.join(', ')} }`;
}

/** Writes a JSON body, with variables in place of what earlier responses have told. */
function jsonOf(request: Exchange['request'], source: string, parts: readonly Part[]): string {
  return request.found.reduce((shown, one, index) => {
    const part = findPart(parts, one.origin);
    const literal = JSON.stringify(one.isNumber ? Number(one.value) : one.value);
    const isSame = one.isNumber === one.origin.isNumber;
    const converted = `${one.isNumber ? 'Number' : 'String'}(${part?.variable})`;
    const expression = part === undefined ? literal : isSame ? part.variable : converted;
    return shown.replace(`"${markOf(index)}"`, () => expression);
  }, source);
}

function textBody(body: Exchange['request']['body']): readonly string[] {
  if (body === undefined) return [];
  if (body instanceof FormData) return ['body: form /* with the fields of the command */'];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return [`body: ${JSON.stringify(text)}`];
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { ClientKind, TypedProject } from './projects.js';

/** A version of TypeScript that is installed under a name. */
export interface Compiler {
  readonly name: string;
  readonly title: string;
  /** Whether its language server speaks the Language Server Protocol, instead of the protocol of tsserver. */
  readonly speaksLsp: boolean;
}

/** The CPU time of completions, in milliseconds. */
export interface Completions {
  /** Of the first one after the file was opened. */
  readonly first: number;
  /** Of those after an edit each. */
  readonly edited: readonly number[];
}

/** How an editor talks to a language server. */
interface Protocol {
  readonly args: readonly string[];
  open(text: string): Promise<unknown>;
  /** Adds an empty line at the end of the file. */
  edit(lines: number): Promise<unknown>;
  /** Returns the labels at a position, counted from 0. */
  complete(line: number, character: number): Promise<readonly string[]>;
}

type Message = Readonly<Record<string, unknown>>;

const { resolve } = createRequire(import.meta.url);

/** Measures the completion of a route in a language server. Needs Linux, which tells the CPU time of a process. */
export async function measureCompletions(
  node: string,
  compiler: Compiler,
  project: TypedProject,
  { completion: [before, after, expected] }: ClientKind,
  edits = 3,
): Promise<Completions> {
  const text = `${project.code}${before}${after}\n`;
  const line = text.split('\n').length - 2;
  const replies = new Map<unknown, (message: Message) => void>();
  let lastId = 0;
  const ask = async (message: Message): Promise<Message> => {
    lastId += 1;
    const id = lastId;
    const reply = new Promise<Message>((done) => replies.set(id, done));
    send({ ...message, id, seq: id });
    return reply;
  };
  const protocol = compiler.speaksLsp
    ? await lspOf(compiler, project, ask, (message) => send(message))
    : tsserverOf(compiler, project, ask, (message) => send({ ...message, seq: 0 }));
  const [command = '', ...args] = compiler.speaksLsp ? protocol.args : [node, ...protocol.args];
  const child = spawn(command, args, { cwd: project.folder, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = (message: Message) => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    child.stdin.write(
      compiler.speaksLsp
        ? `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
        : `${body}\n`,
    );
  };
  readMessages(child.stdout, (message) => {
    const { id = message.request_seq, method } = message;
    if (method === undefined) replies.get(id)?.(message);
    // The server asks for settings. It works without.
    else if (message.id !== undefined) send({ id, result: null });
  });
  const cpu = () => cpuOf(child.pid);
  const complete = async () => {
    const begin = cpu();
    const labels = await protocol.complete(line, before.length);
    if (!labels.includes(expected)) {
      throw new Error(
        `${compiler.title} completes ${before}${after} without ${expected}: ${labels}`,
      );
    }
    return cpu() - begin;
  };
  try {
    const begin = cpu();
    await protocol.open(text);
    await complete();
    const first = cpu() - begin;
    const edited: number[] = [];
    for (const index of Array(edits).keys()) {
      await protocol.edit(line + 1 + index);
      edited.push(await complete());
    }
    return { first, edited };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

type Ask = (message: Message) => Promise<Message>;
type Notify = (message: Message) => void;

function tsserverOf(
  { name }: Compiler,
  { file }: TypedProject,
  ask: Ask,
  notify: Notify,
): Protocol {
  const at = (line: number, character: number) => ({ file, line: line + 1, offset: character + 1 });
  return {
    args: [resolve(`${name}/lib/tsserver.js`), '--disableAutomaticTypingAcquisition'],
    open: async (fileContent) =>
      notify({ type: 'request', command: 'open', arguments: { file, fileContent } }),
    edit: async (line) => {
      const { line: endLine, offset: endOffset } = at(line, 0);
      const change = { ...at(line, 0), endLine, endOffset, insertString: '\n' };
      notify({ type: 'request', command: 'change', arguments: change });
    },
    async complete(line, character) {
      const request = {
        type: 'request',
        command: 'completionInfo',
        arguments: at(line, character),
      };
      const { body } = (await ask(request)) as { body?: { entries: { name: string }[] } };
      return body?.entries.map((entry) => entry.name) ?? [];
    },
  };
}

async function lspOf(
  { name }: Compiler,
  project: TypedProject,
  ask: Ask,
  notify: Notify,
): Promise<Protocol> {
  const { default: getExePath } = await import(
    pathToFileURL(resolve(`${name}/package.json`)).href.replace('package.json', 'lib/getExePath.js')
  );
  const uri = pathToFileURL(project.file).href;
  let version = 1;
  return {
    args: [getExePath(), '--lsp', '--stdio'],
    async open(text) {
      const rootUri = pathToFileURL(project.folder).href;
      const params = { processId: process.pid, rootUri, capabilities: {} };
      await ask({ method: 'initialize', params });
      notify({ method: 'initialized', params: {} });
      const textDocument = { uri, languageId: 'typescript', version, text };
      notify({ method: 'textDocument/didOpen', params: { textDocument } });
    },
    async edit(line) {
      version += 1;
      const position = { line, character: 0 };
      const contentChanges = [{ range: { start: position, end: position }, text: '\n' }];
      const params = { textDocument: { uri, version }, contentChanges };
      notify({ method: 'textDocument/didChange', params });
    },
    async complete(line, character) {
      const params = { textDocument: { uri }, position: { line, character } };
      const { result } = await ask({ method: 'textDocument/completion', params });
      const { items = result } = Object(result) as { items?: unknown };
      return (items as { label: string }[]).map(({ label }) => label);
    },
  };
}

/** Calls a function with each message of a language server, which precedes it with its length in bytes. */
function readMessages(stream: NodeJS.ReadableStream, onMessage: (message: Message) => void): void {
  let pending = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const start = pending.indexOf('\r\n\r\n') + 4;
      const [, length] = /Content-Length: (\d+)/.exec(pending.toString('latin1', 0, start)) ?? [];
      if (start < 4 || length === undefined || pending.length < start + Number(length)) return;
      const end = start + Number(length);
      onMessage(JSON.parse(pending.toString('utf8', start, end)));
      pending = pending.subarray(end);
    }
  });
}

/** The CPU time of a process, in milliseconds: Linux counts it in hundredths of a second. */
function cpuOf(pid: number | undefined): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

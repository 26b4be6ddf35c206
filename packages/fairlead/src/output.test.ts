import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatTable, print, printBytes, printError, printJson, style } from './output.js';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Returns what a function writes to a standard stream. */
function written(stream: NodeJS.WriteStream, run: () => void): string {
  const write = vi.spyOn(stream, 'write').mockReturnValue(true);
  run();
  const chunks = write.mock.calls.map(([chunk]) => String(chunk));
  write.mockRestore();
  return chunks.join('');
}

const HOSTILE = '\u001b[2J\u009b31m\u202e\rok';
const ESCAPED = '\\u001b[2J\\u009b31m\\u202e\\u000dok';

describe('what the program prints', () => {
  it('cannot control the terminal', () => {
    expect(written(process.stdout, () => print(HOSTILE))).toBe(`${ESCAPED}\n`);
    expect(written(process.stderr, () => printError(HOSTILE))).toBe(`${ESCAPED}\n`);
    const json = written(process.stdout, () => printJson({ [HOSTILE]: HOSTILE }));
    expect(json).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(JSON.parse(json)).toEqual({ [HOSTILE]: HOSTILE });
  });

  it('has the colors of the program, also around text of others', () => {
    vi.stubEnv('FORCE_COLOR', '1');
    vi.stubEnv('NO_COLOR', undefined);
    const styled = style('red', `a${HOSTILE}`);
    const line = written(process.stdout, () => print(`${styled} ${HOSTILE}`));
    expect(line).toBe(`\u001b[31ma${ESCAPED}\u001b[39m ${ESCAPED}\n`);
  });

  it('has one line for each row of a table', () => {
    const rows = [['GET\n200', HOSTILE]];
    const table = written(process.stdout, () => print(formatTable(['A', 'B'], rows)));
    expect(stripVTControlCharacters(table).split('\n')).toEqual([
      'A             B',
      `GET\\u000a200  ${ESCAPED}`,
      '',
    ]);
  });
});

describe('the bytes of a response', () => {
  const bytes = [
    Buffer.from([0xff, 0x1b]),
    Buffer.from('[2Jé'.slice(0, 3)),
    Buffer.from([0xc3]),
    Buffer.from([0xa9]),
  ];

  async function print(isTTY: boolean): Promise<string> {
    const output = Object.assign(new PassThrough({ encoding: 'latin1' }), { isTTY });
    await printBytes(
      (async function* () {
        yield* bytes;
      })(),
      output,
    );
    return text(output.end());
  }

  it('are unchanged for programs', async () => {
    expect(Buffer.from(await print(false))).toEqual(
      Buffer.from(Buffer.concat(bytes).toString('latin1')),
    );
  });

  it('are text in a terminal', async () => {
    expect(Buffer.from(await print(true), 'latin1').toString()).toBe('\ufffd\\u001b[2Jé\n');
  });
});

it('no other module prints', async () => {
  const lines: string[] = [];
  for await (const file of glob('**/*.ts', { cwd: import.meta.dirname })) {
    const source = await readFile(join(import.meta.dirname, file), 'utf8');
    const used = source.match(/^.*(?:\bconsole\.|\bprocess\.std(?:out|err)\b).*$/gm) ?? [];
    lines.push(...used.map((line) => `${file}: ${line.trim()}`));
  }
  expect(lines.filter((line) => !/^output\.(?:test\.)?ts: /.test(line)).sort()).toEqual([
    // Holds back what the application prints.
    'commands/fuzz.ts: const streams = [process.stdout, process.stderr];',
    'main.ts: [process.stdout, process.stderr].map(',
    "main.ts: process.stdout.on('error', (error: NodeJS.ErrnoException) => {",
  ]);
});

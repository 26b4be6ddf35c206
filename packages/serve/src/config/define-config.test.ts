import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { StandardSchema } from '@fairlead/core';
import { type } from 'arktype';
import * as v from 'valibot';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { ConfigError, type ConfigSchema, defineConfig } from '../index.js';
import { failedConfigs, warnOfVariables } from './define-config.js';

const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** Writes a file with variables, and returns its path. */
function envFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-config-'));
  folders.push(folder);
  const file = join(folder, '.env');
  writeFileSync(file, text);
  return file;
}

function setVariable(name: string, value: string): void {
  vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Returns the lines of the message for some variables. */
function problemsOf(schema: ConfigSchema, variables: Readonly<Record<string, string>>): string[] {
  try {
    new (defineConfig(schema))(variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [title, ...lines] = error.message.split('\n  ');
    expect(error.code).toBe('CONFIG_INVALID');
    const [, only] = /^Invalid environment variable: (.*)$/.exec(error.message) ?? [];
    if (only !== undefined) return [only];
    expect(title).toBe('Invalid environment variables:');
    return lines;
  }
  return [];
}

class Config extends defineConfig({
  CONFIG_PORT: z.coerce.number().int().min(0).max(65_535).default(8080).describe('Where it is'),
  CONFIG_URL: z.url(),
  CONFIG_LEVEL: z.enum(['debug', 'info']).optional(),
}) {
  get isLocal(): boolean {
    return this.CONFIG_URL.includes('//localhost');
  }
}

describe('values', () => {
  it('are those of given variables and defaults, frozen', () => {
    const config = new Config({ CONFIG_URL: 'postgres://localhost', CONFIG_PORT: '' });
    expect({ ...config }).toEqual({ CONFIG_PORT: 8080, CONFIG_URL: 'postgres://localhost' });
    expect(config.isLocal).toBe(true);
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('of texts are what the schema accepts', () => {
    const { COUNT, FLAG, NAMES, NUMBERS, TEXT } = new (defineConfig({
      COUNT: z.number(),
      FLAG: v.boolean(),
      NAMES: type('string[]'),
      NUMBERS: z.array(z.number()),
      TEXT: z.string(),
    }))({ COUNT: '1e3', FLAG: 'true', NAMES: 'a, b', NUMBERS: '1,2', TEXT: '7' });
    expect([COUNT, FLAG, NAMES, NUMBERS, TEXT]).toEqual([1000, true, ['a', 'b'], [1, 2], '7']);
  });

  it('can follow from several variables', () => {
    const schema = z
      .strictObject({ LOW: z.number(), HIGH: z.number().default(9) })
      .refine(({ LOW, HIGH }) => LOW < HIGH, { path: ['LOW'], error: 'must be less than HIGH.' })
      .transform(({ LOW, HIGH }) => ({ range: [LOW, HIGH] }));
    class Range extends defineConfig(schema) {}
    expect(new Range({ LOW: '1' }).range).toEqual([1, 9]);
    expect(problemsOf(schema, { LOW: '9' })).toEqual(['LOW must be less than HIGH.']);
    expect(problemsOf(schema, {})).toEqual(['LOW is missing. Set it to a number.']);
  });

  it('are read from valibot and arktype objects', () => {
    const a = new (defineConfig(v.object({ A: v.number() })))({ A: '1' });
    const b = new (defineConfig(type({ 'B?': 'number' })))({ B: '2' });
    expect([a.A, b.B]).toEqual([1, 2]);
  });
});

describe('sources', () => {
  it('are files, of which later ones win, and the environment, which wins over all', () => {
    const files = [envFile('A1=1\nB1=1\nC1=1\n'), envFile('B1="2"\nC1=2\n'), '/missing/.env'];
    setVariable('C1', '3');
    const schema = { A1: z.number(), B1: z.number(), C1: z.number() };
    expect(new (defineConfig(schema, { files }))()).toEqual({ A1: 1, B1: 2, C1: 3 });
    expect(process.env.A1).toBeUndefined();
  });

  it('have unset variables if these are empty', () => {
    setVariable('E1', '');
    const files = [envFile('E1=file\nE2=\n')];
    const schema = { E1: z.string().default('none'), E2: z.string().default('none') };
    expect(new (defineConfig(schema, { files }))()).toEqual({ E1: 'none', E2: 'none' });
  });

  it('that cannot be read are problems', () => {
    const Unread = defineConfig({ U1: z.string().optional() }, { files: ['/'] });
    expect(failedConfigs()).not.toContainEqual(expect.objectContaining({ message: /EISDIR/ }));
    const { message } = Unread.problems()[0] ?? {};
    expect(message).toMatch(/^Invalid environment variable: The file \/ cannot be read \(EISDIR\)/);
  });
});

describe('an invalid environment', () => {
  const files = [envFile('CONFIG_URLS=x\nCONFIG_LEVEL=loud\n')];
  const shape = {
    CONFIG_URL: z.url(),
    CONFIG_PORT: z.number().default(1),
    CONFIG_LEVEL: z.enum(['a', 'b']),
  };
  class Invalid extends defineConfig(shape, { files }) {
    get isHigh(): boolean {
      return this.CONFIG_PORT > 1_000;
    }
    get isLocal(): boolean {
      return this.CONFIG_URL === 'local';
    }
  }

  it('throws when a value is read that is invalid, and lists all problems with their place', () => {
    const config = new Invalid();
    expect([config.CONFIG_PORT, config.isHigh]).toEqual([1, false]);
    const message = expect.stringMatching(
      /^Invalid environment variables:\n {2}CONFIG_URL is missing\. Did you mean CONFIG_URLS, which \S+\.env has\?\n {2}CONFIG_LEVEL in \S+\.env must be one of a, b\.\n {2}At: src\/config\/define-config\.test\.ts:\d+:\d+$/,
    );
    expect(() => config.CONFIG_URL).toThrow(expect.objectContaining({ message }));
    expect(() => config.CONFIG_LEVEL).toThrow(ConfigError);
    expect(() => config.isLocal).toThrow(ConfigError);
    expect(() => ({ ...config })).toThrow(ConfigError);
    expect(() => JSON.stringify(config)).toThrow(ConfigError);
    expect(failedConfigs()).toContainEqual(expect.objectContaining({ message }));
  });

  it('can be inspected and awaited', async () => {
    const config = await new Invalid();
    expect(inspect(config)).toBe('Invalid { CONFIG_PORT: 1 }');
  });

  it('throws for every value that follows from all variables', () => {
    const whole = z.object(shape).transform(() => ({ derived: 1 }));
    const config = new (defineConfig(whole, { files }))();
    expect(() => config.derived).toThrow(ConfigError);
  });

  it('is none any more once it is read again', () => {
    const config = defineConfig({ AGAIN: z.string() }, { files: [] });
    const before = failedConfigs().length;
    expect(new config()).toBeInstanceOf(config);
    expect(failedConfigs()).toHaveLength(before + 1);
    setVariable('AGAIN', 'x');
    expect(new config()).toEqual({ AGAIN: 'x' });
    expect(failedConfigs()).toHaveLength(before);
  });
});

describe('messages', () => {
  it('continue the name of the variable, or follow it', () => {
    const schema = {
      A: z.string().regex(/^x/, 'must start with x.'),
      B: z.string('Create one with: openssl rand -hex 32').min(32, 'Use 32 characters.'),
      C: z.string('Create one with: openssl rand -hex 32'),
      D: type('string.email'),
    };
    expect(problemsOf(schema, { A: 'abc', B: 'short', D: 'no' })).toEqual([
      'A must start with x.',
      'B: Use 32 characters.',
      'C is missing. Create one with: openssl rand -hex 32',
      'D must be an email address. The message of its schema repeats the value, so it is not shown.',
    ]);
  });

  it.each<[string, StandardSchema, string]>([
    ['zod', z.number().min(5), 'KEY must be a number of at least 5.'],
    ['zod', z.boolean(), 'KEY must be true or false.'],
    ['zod', z.enum(['a', 'b']), 'KEY must be one of a, b.'],
    ['zod', z.literal('a'), 'KEY must be a.'],
    ['valibot', v.number(), 'KEY must be a number.'],
    ['valibot', v.picklist(['a', 'b']), 'KEY must be one of a, b.'],
    ['arktype', type('number'), 'KEY must be a number (was a string)'],
    [
      'a refinement',
      z.string().refine((text) => text === '', { error: 'must fit.' }),
      'KEY must fit.',
    ],
  ])('of %s say what is wrong: %#', (_, schema, line) => {
    expect(problemsOf({ KEY: schema }, { KEY: 's3cr3t-v4lue' })).toEqual([line]);
  });

  it.each<[string, StandardSchema]>([
    ['valibot', v.pipe(v.string(), v.url())],
    ['valibot', v.picklist(['a', 'b'])],
    [
      'valibot',
      v.pipe(
        v.string(),
        v.check(() => false),
      ),
    ],
    ['arktype', type('string.url')],
    ['arktype', type("'a' | 'b'")],
    ['zod', z.string().refine(() => false, { error: ({ input }) => `got ${input}` })],
    [
      'zod',
      z.string().refine(() => false, { error: ({ input }) => `got ${String(input).slice(3, 9)}…` }),
    ],
    ['zod', z.string().transform((text) => JSON.parse(text))],
  ])('of %s never repeat a value: %#', (_, schema) => {
    const lines = problemsOf({ KEY: schema }, { KEY: 's3cr3t-v4lue' }).join();
    expect(lines).toMatch(/^KEY /);
    expect(lines).not.toMatch(/s3cr|r3t-|v4l/);
    const whole = z.object({ KEY: z.string(), OTHER: z.string() }).refine(() => false, {
      path: ['OTHER'],
      error: ({ input }) => `must fit ${JSON.stringify(input)}.`,
    });
    const [line] = problemsOf(whole, { KEY: 's3cr3t-v4lue', OTHER: 'x' });
    expect(line).toMatch(/^OTHER is invalid\. /);
  });

  it('may repeat what the schema says of other values, too', () => {
    const schema = z.string().startsWith('postgres://', 'must be like postgres://user@host.');
    expect(problemsOf({ KEY: schema }, { KEY: 'postgres:/user' })).toEqual([
      'KEY must be like postgres://user@host.',
    ]);
  });

  it('may repeat values if the option allows it', () => {
    const schema = z.string().refine(() => false, { error: ({ input }) => `is ${input}.` });
    const Shown = defineConfig({ KEY: schema }, { showValues: true });
    expect(() => new Shown({ KEY: 'shown' })).toThrow(': KEY is shown.');
  });

  it('explain schemas that are asynchronous or throw', () => {
    const schema = {
      A: z.string().refine(async () => true),
      B: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => true),
      ),
      C: z.string().transform((text) => JSON.parse(text)),
      D: v.pipe(
        v.string(),
        v.transform((text) => JSON.parse(text)),
      ),
    };
    const late =
      'has a schema that is asynchronous or throws. Use one that returns issues at once.';
    expect(problemsOf(schema, { A: 'a', B: 'b', C: '{', D: '{' })).toEqual([
      ...['A', 'B', 'C'].map((name) => `${name} ${late}`),
      'D has a schema that threw an instance of SyntaxError. Make it return issues.',
    ]);
  });
});

it('lists the variables, and their states', () => {
  const files = [envFile('LIST_A=1\nLIST_B=x\n')];
  const Listed = defineConfig(
    {
      LIST_A: z.number().describe('First'),
      LIST_B: z.number().default(1),
      LIST_C: z.string().default('c'),
      LIST_D: z.string().optional(),
      LIST_E: z.string(),
    },
    { files },
  );
  const [file] = files;
  expect(Listed.variables().map(({ name, state, file: from }) => [name, state, from])).toEqual([
    ['LIST_A', 'set', file],
    ['LIST_B', 'invalid', file],
    ['LIST_C', 'default', undefined],
    ['LIST_D', 'unset', undefined],
    ['LIST_E', 'missing', undefined],
  ]);
  expect(Listed.help()).toBe(`Environment variables (an empty value counts as unset):

  LIST_A
      First
      a number (required)

  LIST_B
      a number (default: 1)

  LIST_C
      (default: c)

  LIST_D

  LIST_E
      (required)
`);
});

it.each([
  [
    undefined,
    'schema of defineConfig() must be an object with a schema for each variable, or a schema: got undefined.',
  ],
  [{ A: 8080 }, 'defineConfig() cannot use 8080 for A. Use a Standard Schema, such as z.string().'],
  [{ A: z.string }, 'defineConfig() cannot use the function'],
  [{}, 'defineConfig() finds no variables in its schema.'],
  [z.string(), 'defineConfig() finds no variables in its schema.'],
])('refuses the schema %o', (schema, message) => {
  expect(() => defineConfig(schema as ConfigSchema)).toThrow(message);
});

it('refuses wrong options', () => {
  const schema = { A: z.string() };
  const options = { files: '.env', showValue: true };
  expect(() => defineConfig(schema, options as object)).toThrow(
    /files of defineConfig\(\) must be an array of paths.*\n.*Did you mean 'showValues'\?/,
  );
});

describe('a file with variables', () => {
  const define = (text: string) => {
    const files = [envFile(text)];
    return {
      file: files[0],
      config: defineConfig({ FILE_PORT: z.number().optional() }, { files }),
    };
  };

  it.each([
    ['a line without =', 'FILE_PORT=80\n\ns3cr3t\n', ':3 sets no variable. Write it as NAME=value'],
    ['a name without =', 'FILE_PORT 80', ':1 sets no variable.'],
    ['a line without a name', '=s3cr3t', ':1 sets no variable.'],
    ['an unclosed quote', '# a\nA="s3cr3t\nFILE_PORT=80\n', ':2 has a " that no other one closes.'],
    ["an unclosed ' after export", "export A = 's3cr3t", ":1 has a ' that no other one closes."],
    ['what follows a text of several lines', 'A="b\nc d\n"\ns3cr3t', ':4 sets no variable.'],
  ])('reports %s, and not its text', (_, text, expected) => {
    const { file, config } = define(text);
    const [problem, ...others] = config.problems().map(({ message }) => message);
    expect(others).toEqual([]);
    expect(problem).toContain(`${file}${expected}`);
    expect(problem).not.toContain('s3cr3t');
  });

  it.each([
    'FILE_PORT=80\r\n\r\n  # a comment\r\nexport A = b # c\r\n',
    '\uFEFFA="b" # c\nB=\'c d\'\nC=`d\ne f\n`\nD=\nE=""\nF=a"b',
    'A.B=1\nA-B=2\n\tFILE_PORT = 80',
  ])('may contain %j', (text) => {
    expect(define(text).config.problems()).toEqual([]);
  });

  it('names the line of each variable, if the source shows it', () => {
    const places = new Map(Config.variables().map(({ name, location }) => [name, location]));
    const lines = [...places.values()].map((place = '') => Number(place.split(':')[1]));
    expect(places.get('CONFIG_PORT')).toMatch(/define-config\.test\.ts:\d+:3$/);
    expect(lines).toEqual([lines[0], Number(lines[0]) + 1, Number(lines[0]) + 2]);
    const hidden = defineConfig({ [['HIDDEN', 'NAME'].join('_')]: z.string() });
    expect(hidden.variables()[0]?.location).toBeUndefined();
    expect(define('FILE_PORT=x').config.problems()[0]?.message).toMatch(
      /FILE_PORT in .* must be a number\.\n {2}At: .*define-config\.test\.ts:\d+:\d+$/,
    );
  });
});

it('a misspelled variable of a file is a warning, unless the right one is set or another configuration reads it', () => {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue();
  onTestFinished(() => emit.mockRestore());
  setVariable('MISSPELED', 'of another program');
  const files = [envFile('MISSPELD=s3cr3t\nMISSPELED_TO=1\nMISSPELLED_SET=1\nMISPELLED_SET=2')];
  const optional = z.string().optional();
  defineConfig(
    { MISSPELLED: optional, MISSPELLED_SET: optional, MISSPELLED_TOO: optional },
    { files },
  );
  defineConfig({ MISSPELED_TO: optional }, { files: [] });
  warnOfVariables();
  const ours = emit.mock.calls.filter(([message]) => String(message).includes('MISSPEL'));
  expect(ours).toEqual([
    [
      `${files[0]} sets MISSPELD, which defineConfig() does not read: did you mean MISSPELLED? If another program reads it, move it to another file.`,
      { type: 'FairleadWarning', code: 'FAIRLEAD_VARIABLE' },
    ],
  ]);
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type ManageTelemetryOptions,
  type OpenTelemetryOptions,
  openTelemetry,
  TelemetryExportError,
} from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

/** The first cells of a table. */
const rowsOf = (section: string) => {
  const [, text = ''] = readme.split(`## ${section}\n`);
  return [...(text.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
};

describe("the README's tables", () => {
  it('list every option', () => {
    type Option = keyof OpenTelemetryOptions | keyof ManageTelemetryOptions;
    const options: Readonly<Record<Option, true>> = {
      includeMessage: true,
      onWarning: true,
      logger: true,
      timeout: true,
    };
    expect(rowsOf('Options').map(([, option]) => option)).toEqual(Object.keys(options));
  });

  it('list every error', async () => {
    const errors = [
      await (async () => openTelemetry({ onWarning: 1 as never }))().catch((error) => error),
      new TelemetryExportError('no response'),
    ];
    expect(rowsOf('Errors').map(([, code, name]) => [code, name])).toEqual(
      errors.map(({ code, name }) => [code, `\`${name}\``]),
    );
  });
});

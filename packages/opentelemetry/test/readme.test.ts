import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorsOf } from '@fairlead/test-support/errors-page';
import { describe, expect, it } from 'vitest';
import {
  type ManageTelemetryOptions,
  type OpenTelemetryOptions,
  openTelemetry,
  TelemetryExportError,
} from '../src/index.js';

const readme = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');

/** The first cells of the tables in a text. */
const rowsOf = (text: string) => [...text.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];

describe('the documents', () => {
  it('list every option', () => {
    type Option = keyof OpenTelemetryOptions | keyof ManageTelemetryOptions;
    const options: Readonly<Record<Option, true>> = {
      includeMessage: true,
      onWarning: true,
      parts: true,
      logger: true,
      timeout: true,
    };
    const [, section = ''] = /^## Options\n(.*?)^## /ms.exec(readme) ?? [];
    expect(rowsOf(section).map(([, option]) => option)).toEqual(Object.keys(options));
  });

  it('list every error', async () => {
    const errors = [
      await (async () => openTelemetry({ onWarning: 1 as never }))().catch((error) => error),
      new TelemetryExportError('no response'),
    ];
    expect(rowsOf(errorsOf('opentelemetry')).map(([, code, name]) => [code, name])).toEqual(
      errors.map(({ code, name }) => [code, `\`${name}\``]),
    );
  });
});

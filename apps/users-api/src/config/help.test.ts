import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeSettings, fallbackOf } from './help.js';
import { SETTING_HELP, SETTING_NAMES, SETTINGS } from './settings.js';

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

describe('describeSettings', () => {
  it.each(SETTING_NAMES)('documents %s with its meaning and allowed values', (name) => {
    const help = SETTING_HELP.get(SETTINGS.shape[name]);
    const text = describeSettings('users-api');
    expect(text).toContain(`  ${name}\n      ${help?.meaning}\n      ${help?.allowed}`);
  });

  it('reads the default from the schema', () => {
    expect(fallbackOf('PORT')).toBe('8080');
    expect(fallbackOf('LOG_LEVEL')).toBe('info');
    expect(fallbackOf('HOST')).toBeUndefined();
    expect(describeSettings('users-api')).toContain('an integer from 0 to 65535 (default: 8080)');
  });
});

describe('README', () => {
  const inTable = [...README.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name);

  it.each(SETTING_NAMES)('lists %s in its table', (name) => {
    expect(inTable).toContain(name);
  });
});

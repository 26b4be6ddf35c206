import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeSettings, fallbackOf } from './help.js';
import { ABOUT, SETTING_NAMES, SETTINGS } from './settings.js';

const README = readFileSync(resolve(import.meta.dirname, '../../README.md'), 'utf8');

describe('describeSettings', () => {
  it.each(SETTING_NAMES)('says what %s means and allows, and its default', (name) => {
    const about = ABOUT.get(SETTINGS.shape[name]);
    const help = describeSettings('users-api');
    expect(help).toContain(`  ${name}\n      ${about?.meaning}\n      ${about?.allowed}`);
  });

  it('takes the default from the schema', () => {
    expect(fallbackOf('PORT')).toBe('8080');
    expect(fallbackOf('LOG_LEVEL')).toBe('info');
    expect(fallbackOf('HOST')).toBeUndefined();
    expect(describeSettings('users-api')).toContain('an integer from 0 to 65535; default 8080');
  });
});

describe('README', () => {
  const inTable = [...README.matchAll(/^\| `([A-Z_]+)` +\|/gm)].map(([, name]) => name);

  it.each(SETTING_NAMES)('has %s in its table', (name) => {
    expect(inTable).toContain(name);
  });
});

import { ABOUT, SETTING_NAMES, SETTINGS, type SettingName } from './settings.js';

/**
 * Writes what `--help` prints: every variable with its meaning, what it allows and its default.
 *
 * @param usage - The first lines: what the program is and how it is called.
 */
export function describeSettings(usage: string): string {
  return [
    usage,
    '',
    'Environment variables; an empty one counts as unset:',
    ...SETTING_NAMES.flatMap((name) => ['', ...describeSetting(name)]),
    '',
  ].join('\n');
}

function describeSetting(name: SettingName): string[] {
  const { meaning = '', allowed = '' } = ABOUT.get(SETTINGS.shape[name]) ?? {};
  const fallback = fallbackOf(name);
  const rule = fallback === undefined ? allowed : `${allowed}; default ${fallback}`;
  return [`  ${name}`, `      ${meaning}`, `      ${rule}`];
}

/** The text of a variable's default; undefined when it has none. */
export function fallbackOf(name: SettingName): string | undefined {
  const { def } = SETTINGS.shape[name];
  return 'defaultValue' in def ? String(def.defaultValue) : undefined;
}

import { SETTING_HELP, SETTING_NAMES, SETTINGS, type SettingName } from './settings.js';

/**
 * Formats the `--help` text, which lists every variable with its meaning, allowed values and default.
 *
 * @param usage - The first lines of the text: a description of the program and its usage.
 */
export function describeSettings(usage: string): string {
  return [
    usage,
    '',
    'Environment variables (an empty value counts as unset):',
    ...SETTING_NAMES.flatMap((name) => ['', ...describeSetting(name)]),
    '',
  ].join('\n');
}

function describeSetting(name: SettingName): string[] {
  const { meaning = '', allowed = '' } = SETTING_HELP.get(SETTINGS.shape[name]) ?? {};
  const fallback = fallbackOf(name);
  const rule = fallback === undefined ? allowed : `${allowed} (default: ${fallback})`;
  return [`  ${name}`, `      ${meaning}`, `      ${rule}`];
}

/** Returns the default of a variable as text, or undefined when it has none. */
export function fallbackOf(name: SettingName): string | undefined {
  const { def } = SETTINGS.shape[name];
  return 'defaultValue' in def ? String(def.defaultValue) : undefined;
}

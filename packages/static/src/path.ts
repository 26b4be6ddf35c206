import { malformedPath } from './errors.js';

/**
 * Matches names that mean something else on Windows: devices, alternate data streams, and names whose last
 * character Windows drops.
 */
const WINDOWS_NAME =
  /[<>:"|?*]|[. ]$|^(?:con|prn|aux|nul|con(?:in|out)\$|(?:com|lpt)[\d¹²³]) *(?:\.|$)/i;

/**
 * Splits a relative path that must stay below a directory.
 *
 * @param path - Decoded, with slashes between the names.
 * @param platform - The platform of the file system.
 * @returns The names. Undefined for a path with an empty segment, `.`, `..` or a backslash, and for names
 *   that mean something else on Windows.
 * @throws {BadRequestError} 400, when the path contains NUL.
 */
export function splitPath(
  path: string,
  platform: NodeJS.Platform = process.platform,
): readonly string[] | undefined {
  if (path.includes('\0')) throw malformedPath();
  const names = path.split('/');
  const isName = (name: string) =>
    !/^\.{0,2}$|\\/.test(name) && (platform !== 'win32' || !WINDOWS_NAME.test(name));
  return names.every(isName) ? names : undefined;
}

/** Whether one of the names starts with a dot. */
export function hasDotfile(names: readonly string[]): boolean {
  return names.some((name) => name.startsWith('.'));
}

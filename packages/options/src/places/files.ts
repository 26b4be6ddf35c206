/**
 * Formats the path of a file for messages.
 *
 * @param file - An absolute path or a `file:` URL.
 * @returns The path, relative to the working directory if it is below it.
 */
export function describeFile(file: string): string {
  const path = filePath(file);
  const base = process.cwd();
  const isBelow = path.startsWith(base) && /^[/\\]/.test(path.slice(base.length));
  return isBelow ? path.slice(base.length + 1) : path;
}

/** Returns the path of a file that is named by its path or by a `file:` URL, without `node:url`. */
export function filePath(file: string): string {
  if (!file.startsWith('file:')) return file;
  const path = decodeURIComponent(new URL(file).pathname);
  return /^\/[A-Za-z]:/.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}

/**
 * Returns the function that loads a package which a module may lack, in a way that bundlers leave alone: they would try
 * to include what an imported `createRequire()` or `import.meta.resolve()` names.
 *
 * @param url - That of the module. Undefined if a bundler has made a script of it.
 */
export function requireFrom(url: string | undefined): NodeJS.Require {
  const { createRequire } = process.getBuiltinModule('node:module');
  return createRequire(url ?? `${process.cwd()}/index.js`);
}

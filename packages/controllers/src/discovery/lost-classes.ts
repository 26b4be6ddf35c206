import { findSourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Constructor } from '@fairlead/di';
import { eagerClasses, type Frame, findFrame, isAnonymous, isIntended } from '@fairlead/options';
import { type Diagnostic, DiscoveryError, describeLocation, errorText } from '../errors.js';
import {
  inheritedMetadata,
  lineage,
  metadataChain,
  ownMetadata,
  styleOf,
  undiscovered,
} from '../metadata/class-metadata.js';

export interface FileExports {
  /** Absolute path. */
  readonly file: string;
  /** The exported functions and classes. */
  readonly classes: readonly Constructor[];
  /** Why discovery could not read its exports. */
  readonly error?: DiscoveryError;
}

/**
 * Finds the classes of files whose routes would not be registered: classes with `@Controller()` that
 * are not exported, and exported classes with routes but without `@Controller()`. A class that another
 * one extends is a base class, which needs neither.
 *
 * @param registered - Classes that the caller registers anyway.
 * @param isComplete - Whether every file could be imported. Otherwise, some that extend a base class may be unknown.
 */
export function findLostClasses(
  files: readonly FileExports[],
  registered: readonly Constructor[],
  isComplete: boolean,
): readonly DiscoveryError[] {
  const exported = files.flatMap(({ classes }) => classes);
  const known = new Set<object>([...exported.filter(isController), ...registered]);
  for (const target of known) undiscovered.delete(target);
  const undecorated = new Set(
    exported.filter((one) => !known.has(one) && !isIntended(one) && hasRoutes(one)),
  );
  const bases = new Set([...known, ...undiscovered, ...undecorated].flatMap(basesOf));
  const withRoutes = files.flatMap(({ file, classes }) =>
    // A class that several files export is reported once.
    classes.flatMap((target) => {
      const base = basesOf(target).findLast(isController);
      if (!undecorated.delete(target) || bases.has(target)) return [];
      if (base === undefined && !isComplete) return [];
      return new DiscoveryError(file, withoutController(target, base));
    }),
  );
  const lost = [...undiscovered].filter((target) => !bases.has(target) && !isIntended(target));
  return [...withRoutes, ...notExported(files, lost, known)];
}

/** Whether a class itself has `@Controller()`. */
export function isController(value: unknown): value is Constructor {
  return typeof value === 'function' && ownMetadata(value)?.controller !== undefined;
}

/** Whether a class declares or inherits a route, or has decorators that do not work. */
function hasRoutes(target: object): boolean {
  if (metadataChain(target).length === 0) return false;
  const { methods, problems } = inheritedMetadata(target);
  return problems.length > 0 || [...methods.values()].some(({ routes }) => routes.length > 0);
}

/** Lists the classes that a class extends, the nearest last. */
function basesOf(target: object): object[] {
  return lineage(target).slice(0, -1);
}

const elsewhere = (what: string): string =>
  `If its routes are registered elsewhere, pass the ${what} to intended().`;

function withoutController(target: Constructor, base: Constructor | undefined): Diagnostic {
  const name = nameOf(target);
  const reason =
    base === undefined ? 'has route decorators' : `extends the controller ${nameOf(base)}`;
  return {
    problem: `${name} ${reason} but is not decorated with @Controller() itself, so its routes are not registered.`,
    fix: `add @Controller() to ${name}, or do not export it. ${elsewhere('class')}`,
  };
}

/** Locates classes with `@Controller()` that no file exports. Only this formats their stacks. */
function notExported(
  files: readonly FileExports[],
  lost: readonly object[],
  known: ReadonlySet<object>,
): readonly DiscoveryError[] {
  const sources = lost.length === 0 ? new Map<string, string>() : sourcesOf(files);
  const errors = new Map<string, DiscoveryError>();
  for (const target of lost) {
    const frame = frameOf(target);
    const file = frame && sources.get(frame.file);
    if (frame === undefined || file === undefined || !isAnonymous(frame)) continue;
    const name = nameOf(target);
    // A module that was evaluated again declares another class of this name.
    const isSame = (one: object): boolean =>
      nameOf(one) === name &&
      frameOf(one)?.file === frame.file &&
      (styleOf(one).isNameUnique || frameOf(one)?.position === frame.position);
    if ([...known].some(isSame)) continue;
    const location = describeLocation(frame.file, frame.position);
    const { nature, exportIt, controller } = styleOf(target);
    const problem = `${name} ${nature}, but its file does not export it, so its routes are not registered.`;
    const fix = `${exportIt(name)} ${elsewhere(controller)}`;
    errors.set(location, new DiscoveryError(file, { problem, fix }, location));
  }
  return [...errors.values()];
}

/**
 * Describes classes with `@Service({ eager: true })` at the top level of files that nothing builds, because no file
 * exports them and no container knows them.
 *
 * @param built - The classes that the container builds.
 */
export function describeLostServices(
  files: readonly string[],
  built: readonly Constructor[],
): readonly string[] {
  const bases = new Set<object>(built.flatMap(lineage));
  const names = new Set(built.map(nameOf));
  const lost = [...eagerClasses()].filter(
    ([target]) => !bases.has(target) && !names.has(nameOf(target)) && !isIntended(target),
  );
  if (lost.length === 0) return [];
  const sources = sourcesOf(files.map((file) => ({ file })));
  return lost.flatMap(([target, site]) => {
    const frame = findFrame(site);
    if (frame === undefined || !isAnonymous(frame) || !sources.has(frame.file)) return [];
    const name = nameOf(target);
    const title = `${name} has @Service({ eager: true }), but its file does not export it, and no container registers it, so nothing builds it.`;
    const fix = `export ${name}, register it, or pass the class to intended().`;
    return errorText(title, fix, describeLocation(frame.file, frame.position));
  });
}

function frameOf(target: object): Frame | undefined {
  const callSite = ownMetadata(target)?.controller?.callSite;
  return callSite && findFrame(callSite);
}

/** Maps the paths that stacks show to files: their own, and those of the sources in their source maps. */
function sourcesOf(files: readonly Pick<FileExports, 'file'>[]): ReadonlyMap<string, string> {
  return new Map(
    files.flatMap(({ file }) => {
      const sources = findSourceMap(file)?.payload.sources ?? [];
      const paths = sources
        .filter((source) => source.startsWith('file:'))
        .map((source) => fileURLToPath(source));
      return [...paths, file].map((path) => [path, file] as const);
    }),
  );
}

function nameOf(target: object): string {
  return (typeof target === 'function' && target.name) || '(anonymous class)';
}

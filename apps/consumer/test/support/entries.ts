import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspace } from './project.js';

/** The parts of a `package.json` that name what a package exports. */
interface Manifest {
  readonly name: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly publishConfig?: {
    readonly exports?: Readonly<Record<string, string | { types: string; default: string }>>;
  };
}

/** A module that users import. */
export interface Entry {
  /** The folder of the package. */
  readonly folder: string;
  /** The name of the module in the package: `index` for the package itself. */
  readonly name: string;
  /** What an import names, such as `@fairlead/jwt/controllers`. */
  readonly specifier: string;
  /** The path of the built declarations. */
  readonly types: string;
}

function readManifest(packageName: string): Manifest {
  const file = join(workspace, 'packages', packageName, 'package.json');
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Lists the libraries that the modules of a package need beside it, some of them optionally. */
export function librariesOf(packageName: string): readonly string[] {
  const { peerDependencies = {} } = readManifest(packageName);
  return Object.keys(peerDependencies).filter((name) => !name.startsWith('@fairlead/'));
}

/** Returns the modules that a published package exports, by its folder name. */
export function entriesOf(packageName: string): Entry[] {
  const folder = join(workspace, 'packages', packageName);
  const { name, publishConfig } = readManifest(packageName);
  return Object.entries(publishConfig?.exports ?? {}).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : {
          folder,
          name: path === '.' ? 'index' : path.slice(2).replaceAll('/', '-'),
          specifier: name + path.slice(1),
          types: join(folder, target.types),
        },
  );
}

/** Sets the version of Fairlead in the entries of other benchmark suites. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Sets the version in the text of a `package.json` or a `config.yaml`. The latter takes major and minor only. */
export function setVersion(text: string, version: string): string {
  return text
    .replace(/("@fairlead\/[\w-]+": )"[^"]*"/g, `$1"${version}"`)
    .replace(/^( {2}version: ).*$/m, `$1${version.split('.', 2).join('.')}`);
}

if (import.meta.main) {
  const [version = ''] = process.argv.slice(2);
  if (!/^\d+\.\d+\.\d+$/.test(version)) {
    console.error('Usage: pnpm --filter benchmarks entries 0.1.0');
    process.exit(1);
  }
  const folder = fileURLToPath(new URL('../entries/', import.meta.url));
  for (const file of globSync('*/{package.json,config.yaml}', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, setVersion(readFileSync(path, 'utf8'), version));
  }
}

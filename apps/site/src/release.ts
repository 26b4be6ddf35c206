import { readFileSync, writeFileSync } from 'node:fs';
import { addVersion } from './versions.ts';

const LIST = 'apps/site/versions.json';

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const { version }: { readonly version: string } = read('packages/core/package.json');
writeFileSync(LIST, `${JSON.stringify(addVersion(read(LIST), version))}\n`);

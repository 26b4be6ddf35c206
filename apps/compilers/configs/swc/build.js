import { glob, mkdir, writeFile } from 'node:fs/promises';
import { transformFile } from '@swc/core';

await mkdir('dist', { recursive: true });
for await (const file of glob('*.ts', { cwd: 'src' })) {
  const { code } = await transformFile(`src/${file}`);
  await writeFile(`dist/${file.replace(/ts$/, 'js')}`, code);
}

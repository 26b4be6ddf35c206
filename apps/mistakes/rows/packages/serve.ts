import { defineConfig } from '@fairlead/serve';
import { z } from 'zod';
import { area } from '../../src/mistake.js';
import { runCommand, runProgram } from '../../src/program.js';

const mistake = area('Options of @fairlead/serve');

mistake('`serve(createMyApp, { prot })`', { startup: "Did you mean 'port'?" }, () =>
  runProgram('await serve(createMyApp, { prot: 0 });'),
);

mistake(
  "`serve(createMyApp, { signals: ['SIGKILL'] })`, which no process receives",
  { startup: 'signals that a process can handle' },
  () => runProgram("await serve(createMyApp, { port: 0, signals: ['SIGKILL'] });"),
);

mistake('`serve(createMyApp, 8080)`', { startup: 'must be an object' }, () =>
  runProgram('await serve(createMyApp, 8080);'),
);

mistake('`serve(createMyApp)`', { startup: 'Pass an object' }, () =>
  runProgram('await serve(createMyApp);'),
);

mistake('`serve({ app, port })`', { startup: /createApp\(\)|application/ }, () =>
  runProgram('await serve({ app: createMyApp(), port: 0 });'),
);

mistake(
  '`serve(…)` of a function that returns no application',
  { startup: 'Return the application' },
  () => runProgram('await serve(() => { createMyApp(); }, { port: 0 });'),
);

mistake("`serve(createMyApp, { port: '8080' })`", { startup: 'Number()' }, () =>
  runProgram("await serve(createMyApp, { port: '8080' });"),
);

mistake("`serve(createMyApp, { timeout: '8s' })`", { startup: 'milliseconds' }, () =>
  runProgram("await serve(createMyApp, { port: 0, timeout: '8s' });"),
);

/** Reads a configuration from these variables. */
const read = (variables: Readonly<Record<string, string>>) =>
  new (defineConfig({ PORT: z.number().default(8080), DATABASE_URL: z.url() }))(variables);

mistake(
  '`defineConfig({ PORT: Number })`, which is not a schema',
  { compiler: "'NumberConstructor'", startup: 'Use a Standard Schema' },
  () => defineConfig({ PORT: Number }),
);

mistake('`defineConfig(z.string())`', { startup: 'a schema for each variable' }, () =>
  defineConfig(z.string()),
);

mistake(
  "`defineConfig(schema, { files: '.env' })`",
  { compiler: "'string'", startup: '.env' },
  () => defineConfig({ PORT: z.number() }, { files: '.env' }),
);

mistake('a variable of `defineConfig()` is not set', { startup: 'DATABASE_URL is missing' }, () =>
  read({}),
);

mistake(
  '`DATABSE_URL` in place of a variable of `defineConfig()`',
  { startup: 'Did you mean DATABSE_URL' },
  () => read({ DATABSE_URL: 'postgres://localhost' }),
);

mistake('`PORT=80a` for a schema of `defineConfig()`', { startup: 'PORT must be a number' }, () =>
  read({ PORT: '80a', DATABASE_URL: 'postgres://localhost' }),
);

/** Checks a project whose `.env` has these lines. */
const checkFile = (lines: string, imports = "import './config.ts';") =>
  runCommand(
    {
      'src/config.ts': `import { defineConfig } from '@fairlead/serve';
import { z } from 'zod';
export class Config extends defineConfig({ PORT: z.number().default(8080) }) {}
`,
      'src/app.ts': `import { createApp } from '@fairlead/core';
${imports}
export const createMyApp = () => createApp().get('/', () => 'hello');
`,
      '.env': lines,
    },
    ...['check', '--env'],
  );

mistake(
  '`PROT=80` in `.env`, in place of a variable with a default',
  { warning: 'did you mean PORT?' },
  () => checkFile('PROT=80'),
);

mistake('a line of `.env` without `=`', { startup: '.env:2 sets no variable' }, () =>
  checkFile('PORT=80\nHOST localhost'),
);

mistake('an unclosed quote in `.env`', { startup: '.env:1 has a "' }, () => checkFile('PORT="80'));

mistake(
  '`fairlead check --env` of an application that does not import its configuration',
  { warning: 'does not import src/config.ts' },
  () => checkFile('PORT=80', ''),
);

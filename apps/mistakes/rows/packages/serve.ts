import { area } from '../../src/mistake.js';
import { runProgram } from '../../src/program.js';

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

import { once } from 'node:events';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cert, key } from '@fairlead/test-support/certificate';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram, startUnread } from './support/program.js';

/** An application that responds with 503 once the process is stopping. */
const READY = `
const createMyApp = ({ stopping }) => createApp().use((ctx) => {
  ctx.status = stopping.aborted ? 503 : 200;
});
`;

/** An application whose requests never complete. */
const HANGING = `
const createMyApp = () => createApp().use(() => {
  console.log('open');
  return new Promise(() => {});
});
`;

/** Sends a request that the program does not answer, and returns once it is open. */
async function openRequest(program: ReturnType<typeof startProgram>): Promise<void> {
  request(await program.url())
    .on('error', () => undefined)
    .end();
  await program.wrote(/open/);
}

describe('serve()', () => {
  it('logs the URL and serves the application', async () => {
    const program = startProgram(`
      await serve(createApp().use((ctx) => ctx.send('hello')), { port: 0 });
    `);
    expect(await (await fetch(await program.url())).text()).toBe('hello');
    program.kill('SIGTERM');
    expect(await program.ended).toEqual({
      code: 0,
      signal: null,
      stdout: expect.stringMatching(
        /^The application listens on http:\/\/localhost:\d+\nThe application is stopping: SIGTERM\n$/,
      ),
      stderr: '',
    });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'at %s, answers open requests, closes the application, calls onClose, and exits with 0',
    async (signal) => {
      const program = startProgram(`
        await serve(async ({ stopping, onClose }) => {
          onClose(() => console.log('closed: first'));
          onClose(async () => console.log('closed: second'));
          const app = createApp();
          await app.plugin({ name: 'p', install() {}, close: () => console.log('closed: plugin') });
          return app.use(async (ctx) => {
            console.log('open');
            await new Promise((resolve) => stopping.addEventListener('abort', resolve));
            ctx.send('complete');
          });
        }, { port: 0, onClose: () => console.log('closed: option') });
      `);
      const sent = request(await program.url()).end();
      await program.wrote(/open/);
      program.kill(signal);
      const [response] = await once(sent, 'response');
      expect(await text(response)).toBe('complete');
      const { code, stdout, stderr } = await program.ended;
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect([...stdout.matchAll(/closed: (.*)/g)].map(([, name]) => name)).toEqual([
        'plugin',
        'second',
        'first',
        'option',
      ]);
    },
  );

  it.each([
    ['stop()', 'setTimeout(stop);', 0],
    ['an uncaught error', "setTimeout(() => { throw new Error('bug'); });", 1],
  ])('at the first signal after %s, still completes the shutdown', async (_, trigger, code) => {
    const program = startProgram(`
      const { stop } = await serve(({ stopping, onClose }) => {
        onClose(() => console.log('closed'));
        return createApp().use(async (ctx) => {
          const received = new Promise((resolve) => process.once('SIGTERM', resolve));
          ${trigger}
          await new Promise((resolve) => stopping.addEventListener('abort', resolve));
          console.log('waits');
          await received;
          ctx.send('complete');
        });
      }, { port: 0 });
    `);
    const sent = request(await program.url()).end();
    await program.wrote(/waits/);
    program.kill('SIGTERM');
    const [response] = await once(sent, 'response');
    expect(await text(response)).toBe('complete');
    expect(await program.ended).toMatchObject({ code, stdout: expect.stringMatching(/closed\n$/) });
  });

  it('closes what was opened during a request after the request', async () => {
    const program = startProgram(`
      await serve(({ stopping, onClose }) => createApp().use(async (ctx) => {
        onClose(() => console.log('closed'));
        console.log('open');
        await new Promise((resolve) => stopping.addEventListener('abort', resolve));
        ctx.onFinish(() => console.log('finished'));
        ctx.send('complete');
      }), intended({ port: 0, delay: 1 }));
    `);
    const sent = request(await program.url()).end();
    await program.wrote(/open/);
    program.kill('SIGTERM');
    const [response] = await once(sent, 'response');
    expect(await text(response)).toBe('complete');
    expect((await program.ended).stdout).toMatch(/finished\nclosed\n$/);
  });

  it('is not ready but keeps serving during the delay', async () => {
    const program = startProgram(`${READY}
      await serve(createMyApp, { port: 0, delay: 600_000 });
    `);
    const url = await program.url();
    expect((await fetch(url)).status).toBe(200);
    program.kill('SIGTERM');
    await program.wrote(/is stopping/);
    expect((await fetch(url)).status).toBe(503);
    program.kill('SIGINT');
    const { code, stderr } = await program.ended;
    expect(code).toBe(130);
    expect(stderr).toBe('The application received SIGINT while stopping. Still running: delay.\n');
  });

  it.each([
    ['HTTP', '', (url: string) => request(url)],
    [
      'TLS',
      `, tls: ${JSON.stringify({ key, cert })}`,
      (url: string) => secureRequest(url, { ca: cert }),
    ],
  ])(
    'cuts open requests over %s after the timeout, logs their number, and exits with 0',
    async (_, tls, send) => {
      const program = startProgram(`
        const app = createApp().get('/', () => 'complete').get('/:id', ({ params }) => {
          console.log('open', params.id);
          return new Promise(() => {});
        });
        await serve(app, intended({ port: 0, host: '127.0.0.1', timeout: 1${tls} }));
      `);
      const url = await program.url();
      for (const id of ['a', 'b']) {
        send(`${url}/${id}`)
          .on('error', () => undefined)
          .end();
        await program.wrote(new RegExp(`open ${id}`));
      }
      // Leaves an idle connection.
      const [response] = await once(send(`${url}/`).end(), 'response');
      await text(response);
      program.kill('SIGTERM');
      expect(await program.ended).toMatchObject({
        code: 0,
        stderr:
          'The application cut off 2 open requests after 1 ms. Increase timeout, or end long requests when ctx.closing aborts.\n',
      });
    },
  );

  it.each([
    ['{ deadline: 100_010, delay: 10 }', 90_000],
    ['{ deadline: 100_000, timeout: 2_000 }', 2_000],
    ['{}', 8_000],
  ])('has a timeout for open requests with %s: %i ms', async (options, timeout) => {
    const program = startProgram(`
      const { setTimeout } = globalThis;
      globalThis.setTimeout = (callback, delay, ...rest) => {
        console.log('a timer of', delay);
        return setTimeout(callback, delay, ...rest);
      };
      await serve(createApp(), { port: 0, ...${options} });
    `);
    await program.url();
    program.kill('SIGTERM');
    expect((await program.ended).stdout.split('\n')).toContain(`a timer of ${timeout}`);
  });

  it('exits at the deadline with 1, and names what still runs', async () => {
    const program = startProgram(`
      await serve(createApp(), intended({
        port: 0,
        deadline: 1,
        onClose: function closeDatabase() { return new Promise(() => {}); },
      }));
    `);
    await program.url();
    program.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The application did not stop within 1 ms\. Still running: .+\.\n$/);
  });

  it('exits immediately with 128 and the number of a second signal', async () => {
    const program = startProgram(`${HANGING}
      await serve(createMyApp, { port: 0 });
    `);
    await openRequest(program);
    program.kill('SIGINT');
    await program.wrote(/is stopping/);
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({
      code: 143,
      signal: null,
      stderr: 'The application received SIGTERM while stopping. Still running: open requests.\n',
    });
  });

  it('counts a signal that is delivered twice in quick succession once', async () => {
    const program = startProgram(`
      await serve(createApp(), { port: 0, onClose: () => process.emit('SIGTERM', 'SIGTERM') });
      process.emit('SIGTERM', 'SIGTERM');
    `);
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('stops when the program calls stop(), with the reason in the log', async () => {
    const program = startProgram(`
      const service = await serve(createApp(), { port: 0, name: 'api' });
      service.stop('the job is complete');
      service.stop('again');
    `);
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^api listens on .*\napi is stopping: the job is complete\n$/);
  });

  it('warns when it serves an application twice, unless that is marked as intended', async () => {
    const program = startProgram(`
      const app = createApp();
      const first = await serve(app, { port: 0 });
      const second = await serve(app, { port: 0 });
      const third = await serve(intended(app), { port: 0 });
      for (const { stop } of [first, second, third]) stop('done');
    `);
    const { stderr } = await program.ended;
    expect(stderr.match(/\[FAIRLEAD_SERVED_TWICE\] FairleadWarning: .*\n {2}At: /g)).toEqual([
      '[FAIRLEAD_SERVED_TWICE] FairleadWarning: serve() received an application that it already serves. Call serve() once, in the main module. To use two ports, pass the application to intended().\n  At: ',
    ]);
  });

  it('warns about an application that listens already, unless that is marked as intended', async () => {
    const program = startProgram(`
      const listening = async (app) => {
        await listen(app, 0);
        return app;
      };
      const first = await serve(() => listening(createApp()), { port: 0 });
      const second = await serve(() => listening(intended(createApp())), { port: 0 });
      const app = createApp();
      await (await listen(app, 0)).close();
      const third = await serve(app, { port: 0 });
      const operations = async () => ({ app: createApp(), operations: await listening(createApp()) });
      await serve(operations, { port: 0, operationsPort: 0, onListen: () => process.exit() });
    `);
    const { stderr } = await program.ended;
    const warning =
      '[FAIRLEAD_SERVED_TWICE] FairleadWarning: serve() received an application that already listens. Remove the call of listen(). To use two ports, pass the application to intended().';
    expect(stderr.match(/\[FAIRLEAD_SERVED_TWICE\] FairleadWarning: .*/g)).toEqual([
      warning,
      warning,
    ]);
  });

  it('warns about times that look like seconds, unless they are intended', async () => {
    const program = startProgram(`
      const times = { port: 0, delay: 5, timeout: 8, requestTimeout: 30 };
      await serve(createApp(), times);
      await serve(createApp(), intended({ ...times }));
      await serve(createApp(), { port: 0, delay: 0, timeout: 0, deadline: 100 });
      process.exit();
    `);
    const { stderr } = await program.ended;
    const end =
      'milliseconds. If you mean seconds, multiply by 1,000; otherwise pass the options to intended().';
    expect(stderr.match(/(?<=\[FAIRLEAD_OPTION\] FairleadWarning: ).*/g)).toEqual([
      `The delay of serve() is 5 ${end}`,
      `The timeout of serve() is 8 ${end}`,
      `The option requestTimeout is 30 ${end}`,
    ]);
  });

  it('warns about a readiness route that does not know of the shutdown, with a delay', async () => {
    const program = startProgram(`
      const unaware = () => describeFunction(() => 'ok', { name: 'createHealth() without stopping' });
      const start = (app, options) => serve(app, { port: 0, delay: 100, ...options });
      await start(createApp().get('/readyz', () => 'ok'));
      await start(({ stopping }) => createApp().get('/health/up', unaware()));
      await start(() => ({ app: createApp(), operations: createApp().get('/a/ready', unaware()) }), { operationsPort: 0 });
      await start(({ stopping }) => createApp().get('/ready', () => stopping.aborted));
      await start(createApp().get('/health', () => 'ok'));
      await start(createApp().get('/ready', () => 'ok'), { delay: 0 });
      await start(intended(createApp().get('/ready', unaware())));
      process.exit();
    `);
    const { stderr } = await program.ended;
    const warnings = stderr.match(/\[FAIRLEAD_OPTION\] FairleadWarning: .*/g);
    expect(warnings).toEqual(
      ['/readyz', '/health/up', '/a/ready'].map(
        (path) =>
          `[FAIRLEAD_OPTION] FairleadWarning: serve() waits for its delay so that load balancers stop sending requests, but GET ${path} does not tell them that the process stops. Pass the stopping of the function serve(({ stopping }) => …) to createHealth({ stopping }), or respond with 503 once it has aborted. Otherwise, pass the application to intended().`,
      ),
    );
  });

  it('calls onListen instead of logging the URL', async () => {
    const program = startProgram(`
      await serve(createApp(), { port: 0, onListen: ({ port }) => console.log('port', port > 0) });
    `);
    await program.wrote(/port true/);
    program.kill('SIGTERM');
    expect((await program.ended).stdout).not.toContain('listens');
  });

  it('passes the options of listen() on', async () => {
    const program = startProgram(`
      await serve(createApp(), { port: 0, host: '127.0.0.1', maxTargetSize: 5 });
    `);
    const url = await program.url();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect((await fetch(`${url}/long-path`)).status).toBe(414);
  });

  it('passes maxConnections on', async () => {
    const program = startProgram(`
      await serve(createApp(), { port: 0, host: '127.0.0.1', maxConnections: 1 });
    `);
    const { hostname: host, port } = new URL(await program.url());
    const first = connect(Number(port), host);
    onTestFinished(() => void first.destroy());
    await once(first, 'connect');
    const second = connect(Number(port), host);
    await once(second.on('error', () => undefined).resume(), 'close');
    expect(first.closed).toBe(false);
  });
});

describe('a second application, for operators,', () => {
  const BOTH = `
    const createMyApps = async ({ stopping, onClose }) => {
      onClose(() => console.log('closed: resource'));
      const operations = createApp();
      await operations.plugin({ name: 'p', install() {}, close: () => console.log('closed: operations') });
      return {
        app: createApp().use(async (ctx) => {
          console.log('open');
          await new Promise((resolve) => stopping.addEventListener('abort', resolve));
          await new Promise((resolve) => process.once('message', resolve));
          ctx.send('complete');
        }),
        operations: operations.use((ctx) => ctx.send(String(stopping.aborted))),
      };
    };
  `;

  it('listens on operationsPort until everything else is closed', async () => {
    const program = startProgram(`${BOTH}
      await serve(createMyApps, {
        port: 0,
        operationsPort: 0,
        host: '127.0.0.1',
        maxConnections: 1,
        onClose: () => console.log('closed: option'),
      });
    `);
    const url = await program.url();
    const [, operationsUrl = ''] = await program.wrote(/serves operators on (\S+)/);
    expect(operationsUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(operationsUrl).not.toBe(url);
    const ask = async () => (await fetch(operationsUrl)).text();
    expect(await Promise.all([ask(), ask()])).toEqual(['false', 'false']);
    const sent = request(url).end();
    await program.wrote(/open/);
    program.kill('SIGTERM');
    await program.wrote(/is stopping/);
    await expect.poll(() => fetch(url).catch(() => 'refused')).toBe('refused');
    expect(await ask()).toBe('true');
    program.send('finish');
    const [response] = await once(sent, 'response');
    expect(await text(response)).toBe('complete');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect([...stdout.matchAll(/closed: (.*)/g)].map(([, name]) => name)).toEqual([
      'resource',
      'operations',
      'option',
    ]);
  });

  it.each([
    ['has its own server', 'createApp()', 0, false],
    ['shares the server if it is the same', 'app', undefined, true],
  ])('%s', async (_, operations, operationsPort, isSame) => {
    const program = startProgram(`
      const app = createApp();
      const service = await serve(
        { app, operations: ${operations} },
        { port: 0, operationsPort: ${operationsPort} },
      );
      console.log('same:', service.operations === service.server, service.operations.port > 0);
      service.stop();
    `);
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(stdout).toContain(`same: ${isSame} true\n`);
  });

  it('serves operators over TLS, too', async () => {
    const tls = JSON.stringify({ key, cert });
    const program = startProgram(`${BOTH}
      await serve(createMyApps, { port: 0, operationsPort: 0, host: '127.0.0.1', tls: ${tls} });
    `);
    expect(await program.url()).toMatch(/^https:/);
    const [, url = ''] = await program.wrote(/serves operators on (\S+)/);
    const [response] = await once(secureRequest(url, { ca: cert }).end(), 'response');
    expect(await text(response)).toBe('false');
  });

  it('ends the start when its port is in use, and everything is closed', async () => {
    const server = createServer().listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await startProgram(`${BOTH}
      await serve(createMyApps, { port: 0, operationsPort: ${port} });
    `).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'closed: resource\nclosed: operations\n' });
    expect(stderr).toMatch(
      new RegExp(`^The application failed to start: Cannot listen on port ${port}: .*\\n$`),
    );
  });

  it.each([
    [
      '{ app: createApp(), operations: createApp() }, { port: 0 }',
      'serve() received an application for operators, but no port for it. Pass operationsPort.',
    ],
    [
      'createApp(), { port: 0, operationsPort: 9100 }',
      'serve() cannot serve operators on port 9100: there is no application for them. Return { app, operations } from the function, with two applications.',
    ],
    [
      '{ app: createApp(), operations: createApp() }, { port: 9100, operationsPort: 9100 }',
      'serve() cannot use 9100 as port and as operationsPort. Pass another operationsPort, or omit it and serve everything with one application.',
    ],
    [
      'createApp(), { port: 0, operationsPort: -1 }',
      'operationsPort of serve() must be an integer from 0 to 65535: got -1.',
    ],
  ])('needs a port: serve(%s)', async (args, message) => {
    const { code, stderr } = await startProgram(`await serve(${args});`).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `The application failed to start: ${message}\n`,
    });
  });
});

it('prints no user data that a library has stored in an error', async () => {
  const create = `Object.assign(new Error('Taken.'), { code: '23505', detail: 'ada@example.com' })`;
  const program = startProgram(`
    await serve(createApp(), { port: 0 });
    setImmediate(() => { throw ${create}; });
  `);
  const failing = startProgram(`await serve(() => { throw ${create}; }, { port: 0 });`);
  for (const { stderr } of await Promise.all([program.ended, failing.ended])) {
    expect(stderr).toMatch(/Error: Taken\.\n {4}at .*code: '23505'/s);
    expect(stderr).not.toContain('ada@');
  }
});

describe('an uncaught error', () => {
  it.each([
    ['uncaughtException', `throw new Error('Nobody catches this.')`],
    ['unhandledRejection', `Promise.reject(new Error('Nobody catches this.'))`],
  ])('is logged, and the process shuts down and exits with 1: %s', async (origin, statement) => {
    const program = startProgram(`
      await serve(createApp(), { port: 0 });
      setImmediate(() => { ${statement}; });
    `);
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stdout).toContain(`The application is stopping: ${origin}\n`);
    expect(stderr).toMatch(/^Error: Nobody catches this\.\n {4}at /);
  });

  it('goes to onUncaught, which decides about the exit code', async () => {
    const program = startProgram(`
      await serve(createApp(), {
        port: 0,
        onUncaught(error, origin) { console.log(error.message, origin); return 70; },
      });
      setImmediate(() => { throw new Error('Nobody catches this.'); });
    `);
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 70, stderr: '' });
    expect(stdout).toContain('Nobody catches this. uncaughtException\n');
  });

  it.each([
    ['throws', `onUncaught() { throw new Error('Handler.'); }`],
    ['rejects', `async onUncaught() { throw new Error('Handler.'); }`],
  ])('ends in a shutdown and code 1 when onUncaught %s', async (_, option) => {
    const program = startProgram(`
      await serve(createApp(), {
        port: 0,
        onClose: () => console.log('closed'),
        ${option},
      });
      setImmediate(() => { throw new Error('Nobody catches this.'); });
    `);
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stdout).toMatch(/is stopping: uncaughtException\nclosed\n$/);
    expect(stderr.match(/Error: .*/g)).toEqual([
      'Error: Nobody catches this.',
      'Error: The application called onUncaught, which failed.',
      'Error: Handler.',
    ]);
  });

  it('is printed when onUncaught itself causes it later', async () => {
    const program = startProgram(`
      await serve(createApp(), {
        port: 0,
        onUncaught(error) {
          console.log(error.message);
          void Promise.reject(new Error('Handler.'));
          return 70;
        },
      });
      setImmediate(() => { throw new Error('Nobody catches this.'); });
    `);
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(70);
    expect(stdout.match(/^.*this\.$/gm)).toEqual(['Nobody catches this.']);
    expect(stderr).toMatch(/^Error: Handler\.\n {4}at /);
  });

  it.each([
    ['throws', `() => { throw new Error('Logger.'); }`],
    ['rejects', `async () => { throw new Error('Logger.'); }`],
  ])('ends in a shutdown and code 1 when the logger %s', async (_, method) => {
    const program = startProgram(`
      const log = ${method};
      await serve(createApp(), {
        port: 0,
        onListen() {},
        logger: { info: log, warn: log, error: log },
        onClose: () => console.log('closed'),
      });
      setImmediate(() => { throw new Error('Nobody catches this.'); });
    `);
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'closed\n' });
    expect(stderr).toContain('Error: Nobody catches this.\n');
    expect(stderr).toContain('The application is stopping: uncaughtException\n');
    expect(stderr.match(/Error: The application called .*/g)?.toSorted()).toEqual([
      'Error: The application called logger.error, which failed.',
      'Error: The application called logger.info, which failed.',
    ]);
  });

  it('is left to node with onUncaught: false', async () => {
    const program = startProgram(`
      process.on('uncaughtException', () => { console.log('mine'); process.exit(3); });
      await serve(createApp(), { port: 0, onUncaught: false });
      setImmediate(() => { throw new Error('Nobody catches this.'); });
    `);
    const { code, stdout } = await program.ended;
    expect(code).toBe(3);
    expect(stdout).toContain('mine');
  });
});

describe('a failed start exits with 1', () => {
  it('after printing the message of a port in use once', async () => {
    const server = createServer().listen(0);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { code, stdout, stderr } = await startProgram(`
      await serve(createApp(), { port: ${port} });
      console.log('never reached');
    `).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `The application failed to start: Cannot listen on port ${port}: it is already in use. Stop the process that uses it, or choose another port.\n`,
    );
  });

  it('after printing an unexpected error with its stack, and closing what was opened', async () => {
    const { code, stdout, stderr } = await startProgram(`
      await serve(async ({ onClose }) => {
        setInterval(() => {}, 1_000);
        onClose(() => console.log('closed'));
        throw new TypeError('Broken.');
      }, { port: 0 });
    `).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'closed\n' });
    expect(stderr).toMatch(/^The application failed to start: TypeError: Broken\.\n {4}at /);
    expect(stderr).not.toContain('Node.js v');
  });

  it('after printing what describeError() returns', async () => {
    const { code, stderr } = await startProgram(`
      await serve(() => Promise.reject('x'), { port: 0, describeError: (error) => 'api: ' + error });
    `).ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'api: x\n' });
  });

  it.each([
    ['dealy: 5', "serve() has no option 'dealy'. Did you mean 'delay'?"],
    [
      'delay: -1',
      'delay of serve() must be an integer number of milliseconds from 0 to 2147483647: got -1.',
    ],
    [
      'timeout: 2 ** 31',
      'timeout of serve() must be an integer number of milliseconds from 0 to 2147483647: got 2147483648.',
    ],
    [
      'logger: { info() {} }',
      'logger of serve() must be an object with the methods info, warn and error',
    ],
    [
      "signals: ['TERM']",
      "signals of serve() must be an array of names of signals that a process can handle, such as 'SIGTERM': got ['TERM'].",
    ],
    [
      "signals: ['SIGTERM', 'SIGKILL']",
      "signals of serve() must be an array of names of signals that a process can handle, such as 'SIGTERM': got ['SIGTERM', 'SIGKILL'].",
    ],
    [
      'delay: 5, timeout: 6, deadline: 10',
      'serve() cannot use 10 as deadline: delay and timeout together take 11 ms. Use a larger deadline, or a smaller delay or timeout.',
    ],
  ])('with the option { %s }', async (options, message) => {
    const { code, stdout, stderr } = await startProgram(
      `await serve(createApp(), { port: 0, ${options} });`,
    ).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The application failed to start: .*\n$/);
    expect(stderr).toContain(message);
  });

  it.each([
    [
      '() => undefined',
      'a function that returned undefined. Return the application that it creates.',
    ],
    ['5', '5. Pass an application from createApp(), or a function that returns one.'],
  ])('with %s instead of an application', async (app, message) => {
    const { code, stderr } = await startProgram(`await serve(${app}, { port: 0 });`).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `The application failed to start: serve() received ${message}\n`,
    });
  });

  it('without options', async () => {
    const { code, stderr } = await startProgram('await serve(createApp());').ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'The application failed to start: serve() needs options. Pass an object.\n',
    });
  });
});

describe('describeStartError()', () => {
  it.each([
    [
      'the message of an error with a stable code',
      "Object.assign(new Error('Use another port.'), { code: 'LISTEN_FAILED' })",
      /^Use another port\.$/,
    ],
    [
      'the message about an argument that parseArgs() rejects',
      "await (async () => parseArgs({ args: ['--x'] }))().catch((error) => error)",
      /^Unknown option '--x'.*$/,
    ],
    ['the stack of any other error', "new TypeError('Broken.')", /^TypeError: Broken\.\n {4}at /],
    [
      'the stack of an error of node',
      "Object.assign(new TypeError('Broken.'), { code: 'ERR_INVALID_ARG_TYPE' })",
      /^TypeError: Broken\.\n {4}at /,
    ],
    ['a value that is not an error', "'text'", /^'text'$/],
    [
      'what cannot control a terminal, with a stable code',
      "Object.assign(new Error('\\u009b2J\\r'), { code: 'LISTEN_FAILED' })",
      /^\\u009b2J\\u000d$/,
    ],
    [
      'what cannot control a terminal',
      "new Error('\\u001b[2J\\u202e')",
      /^Error: \\u001b\[2J\\u202e\n {4}at /,
    ],
  ])('returns %s', async (_, error, text) => {
    const program = startProgram(`
      import { parseArgs } from 'node:util';
      process.stdout.write(describeStartError(${error}));
    `);
    expect((await program.ended).stdout).toMatch(text);
  });
});

describe('the error of a start', () => {
  async function failIn(source: string, path = 'app.mjs'): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'serve-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(await realpath(folder), path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, source);
    const program = startProgram(`
      const { create } = await import(${JSON.stringify(file)});
      await serve(() => create({ createRouter }), { port: 0 });
    `);
    return (await program.ended).stderr.replace(file, 'app.mjs');
  }

  it('ends with the line of your code that threw it', async () => {
    const source = `export async function create({ createRouter }) {
      return createRouter({ prefix: '/api' });
    }`;
    expect(await failIn(source)).toMatch(
      /^The application failed to start: createRouter\(\) has no option 'prefix'.*\n {2}At: app\.mjs:2:14\n$/,
    );
  });

  it('ends without a line of the command line of Fairlead', async () => {
    const source = `export function create({ createRouter }) {
      return createRouter({ prefix: '/api' });
    }`;
    expect(await failIn(source, 'node_modules/fairlead/dist/main.mjs')).not.toContain('At: ');
  });

  it('keeps the location in its message', async () => {
    const source = `export async function create() {
      throw Object.assign(new Error('Wrong.\\n  At: a.js:1:1'), { code: 'START_FAILED' });
    }`;
    expect(await failIn(source)).toBe('The application failed to start: Wrong.\n  At: a.js:1:1\n');
  });
});

describe('a signal during the start', () => {
  const SLOW = `
    const { promise, resolve } = Promise.withResolvers();
    process.once('message', () => {}); // Keeps the process running.
    await serve(async ({ stopping, onClose }) => {
      onClose(() => console.log('closed'));
      console.log('starting');
  `;

  it('waits for the start, closes what was opened, and exits with 0 without listening', async () => {
    const program = startProgram(`${SLOW}
      stopping.addEventListener('abort', () => setTimeout(resolve, 10));
      await promise;
      return createApp();
    }, { port: 0 });`);
    await program.wrote(/starting/);
    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe('starting\nThe application is stopping: SIGTERM\nclosed\n');
  });

  it.each([
    ['throwIfAborted()', 'await promise; stopping.throwIfAborted();'],
    [
      'an API of node',
      `const { setTimeout } = await import('node:timers/promises');
      await setTimeout(600_000, undefined, { signal: stopping });`,
    ],
  ])('lets the start give up with %s', async (_, statements) => {
    const program = startProgram(`${SLOW}
      stopping.addEventListener('abort', () => resolve());
      ${statements}
    }, { port: 0 });`);
    await program.wrote(/starting/);
    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('closed');
  });

  it('exits with 1 when the start then fails', async () => {
    const program = startProgram(`${SLOW}
      await new Promise((_, reject) =>
        stopping.addEventListener('abort', () => reject(new Error('Broken.'))));
    }, { port: 0 });`);
    await program.wrote(/starting/);
    program.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The application failed to start: Error: Broken\./);
  });

  it('exits with 1 at the deadline when the start does not end', async () => {
    const program = startProgram(`${SLOW} await promise; }, intended({ port: 0, deadline: 1 }));`);
    await program.wrote(/starting/);
    program.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toBe('The application did not stop within 1 ms. Still running: the start.\n');
  });
});

describe('the end of the process', () => {
  it('does not wait for a channel to its parent process', async () => {
    const program = startProgram(`
      process.on('message', () => {});
      await serve(createApp(), { port: 0 });
    `);
    await program.url();
    program.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it('comes after all output', async () => {
    const program = startProgram(`
      await serve(createApp(), { port: 0, onClose: () => console.log('x'.repeat(2 ** 22) + 'end') });
    `);
    await program.url();
    program.kill('SIGTERM');
    const { code, stdout } = await program.ended;
    expect(code).toBe(0);
    expect(stdout.slice(-5)).toBe('xend\n');
  });

  it('is forced at the deadline, and the log names what keeps the process running', async () => {
    const program = startProgram(`
      import { createServer } from 'node:net';
      await serve(createApp(), { port: 0, timeout: 500 });
      setInterval(() => {}, 1_000);
      createServer().listen(0);
    `);
    await program.url();
    program.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toBe(
      `The application has shut down, but the process is still running. Still open: a server, a timer. Close what your code opened in an onClose callback.
The application did not stop within 1500 ms. Still open: a server, a timer. Close what your code opened in an onClose callback.
`,
    );
  });

  it('comes after callbacks that were registered during the shutdown', async () => {
    const program = startProgram(`
      await serve(({ onClose }) => {
        onClose(() => onClose(() => console.log('late')));
        return createApp();
      }, { port: 0 });
    `);
    await program.url();
    program.kill('SIGTERM');
    expect((await program.ended).stdout).toContain('late');
  });

  it('has code 1 when a callback fails, after the other callbacks', async () => {
    const program = startProgram(`
      await serve(({ onClose }) => {
        onClose(() => console.log('closed'));
        onClose(function closeCache() { throw new Error('Broken.'); });
        return createApp();
      }, { port: 0 });
    `);
    await program.url();
    program.kill('SIGTERM');
    const { code, stdout, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stdout).toContain('closed');
    expect(stderr).toMatch(/^Error: The application failed to close: closeCache failed\.\n/);
    expect(stderr).toContain('[cause]: Error: Broken.');
  });

  it('exits at the deadline when onAbandon throws', async () => {
    const program = startProgram(`
      await serve(createApp(), {
        port: 0,
        deadline: 1,
        onClose: function closeDatabase() { return new Promise(() => {}); },
        onAbandon() { throw new Error('Handler.'); },
      });
    `);
    await program.url();
    program.kill('SIGTERM');
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/did not stop within 1 ms[\s\S]*Error: Handler\./);
  });

  it('calls onAbandon, which decides about the exit code', async () => {
    const program = startProgram(`${HANGING}
      await serve(createMyApp, {
        port: 0,
        signals: ['SIGHUP', 'SIGUSR2'],
        onAbandon(reason) { console.log('abandoned:', reason); return 7; },
      });
    `);
    await openRequest(program);
    program.kill('SIGHUP');
    await program.wrote(/is stopping/);
    program.kill('SIGUSR2');
    const { code, stdout, stderr } = await program.ended;
    expect({ code, stderr }).toEqual({ code: 7, stderr: '' });
    expect(stdout).toContain(
      'abandoned: The application received SIGUSR2 while stopping. Still running: open requests.\n',
    );
  });
});

describe('a process whose output nothing reads', () => {
  const CODE = `
    await serve(createApp(), { port: 0 });
    process.on('message', () => { throw new Error('It failed.'); });
    process.send('ready');
  `;

  it('ends with 0 after a signal', async () => {
    const { ready, kill, code } = startUnread(CODE);
    await ready;
    kill('SIGTERM');
    expect(await code).toBe(0);
  });

  it('ends with 1 after an uncaught error', async () => {
    const { ready, send, code } = startUnread(CODE);
    await ready;
    send('throw');
    expect(await code).toBe(1);
  });
});

describe('runProcess()', () => {
  it('runs a process without a server', async () => {
    const program = startProgram(`
      const work = await runProcess(async ({ stopping, onClose, remaining: left }) => {
        const timer = setInterval(() => {}, 1_000);
        onClose((remaining) => {
          clearInterval(timer);
          console.log(remaining > 0, remaining <= 9_000, left() > 0, left() <= remaining);
        });
        console.log(String(left()));
        return 'working';
      }, { name: 'worker' });
      console.log(work);
    `);
    await program.wrote(/working/);
    program.kill('SIGINT');
    expect(await program.ended).toEqual({
      code: 0,
      signal: null,
      stdout: 'Infinity\nworking\nworker is stopping: SIGINT\ntrue true true true\n',
      stderr: '',
    });
  });

  it('prints many errors at once without a warning of Node.js', async () => {
    const program = startProgram(`
      await runProcess(() => {
        for (let index = 0; index < 15; index += 1) void Promise.reject(new Error('bug'));
      });
    `);
    const { code, stderr } = await program.ended;
    expect([code, stderr.match(/Error: bug/g)?.length]).toEqual([1, 15]);
    expect(stderr).not.toContain('MaxListeners');
  });

  it.each(['256', '-1', 'NaN', "'2'"])('exits with 1 if onUncaught returns %s', async (result) => {
    const program = startProgram(`
      await runProcess(() => { setTimeout(() => { throw new Error('bug'); }); }, {
        onUncaught: () => ${result},
      });
    `);
    expect(await program.ended).toMatchObject({ code: 1, stderr: '' });
  });

  it('refuses signals that do not exist, and callbacks that are not functions', async () => {
    const signal = startProgram("await runProcess(() => {}, { signals: ['SIGTERN'] });");
    expect((await signal.ended).stderr).toContain('must be an array of names of signals');
    const callback = startProgram('await runProcess(({ onClose }) => onClose(Promise.resolve()));');
    expect((await callback.ended).stderr).toContain(
      'onClose() cannot use an instance of Promise. Pass a function.',
    );
  });

  it('refuses unknown options', async () => {
    const { code, stderr } = await startProgram('await runProcess(() => {}, { port: 0 });').ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/runProcess\(\) has no option 'port'\. Remove it, or use name, logger/);
  });
});

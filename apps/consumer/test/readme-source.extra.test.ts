import { symlink } from 'node:fs/promises';
import { Server } from 'node:net';
import { join } from 'node:path';
import { format } from 'node:util';
import { vi } from 'vitest';
import { here } from './support/project.js';
import { testBlocks } from './support/test-blocks.js';

const { listen } = Server.prototype;

// Runs everything from source, in this process. readme.long.test.ts runs it as users do.
testBlocks({
  compiler: 'typescript-7',
  compilerOptions: {
    customConditions: ['@fairlead/source'],
    lib: ['ES2024'],
    noEmit: true,
    skipLibCheck: true,
  },
  provide: (project) => symlink(join(here, 'node_modules'), join(project, 'node_modules')),
  async run(project, file) {
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, options, done) {
      return listen.call(this, { ...Object(options), port: 0 }, done).unref();
    });
    const printed = (['log', 'warn', 'error'] as const).map((method) => {
      const { calls } = vi.spyOn(console, method).mockReturnValue().mock;
      return () => calls.map((call) => format(...call)).join('\n');
    });
    const before = new Set(listenersOfProcess().map(([, listener]) => listener));
    try {
      await import(join(project, `${file}.ts`));
    } finally {
      vi.restoreAllMocks();
      // A block may run as a process. Its listeners must not outlive it.
      const added = listenersOfProcess().filter(([, listener]) => !before.has(listener));
      const emitter: NodeJS.EventEmitter = process;
      for (const [event, listener] of added) emitter.off(event, listener);
    }
    const [stdout = '', ...stderr] = printed.map((read) => read());
    return { stdout, stderr: stderr.join('') };
  },
});

/** Returns the listeners for the events that end a process. */
function listenersOfProcess() {
  const emitter: NodeJS.EventEmitter = process;
  return ['SIGTERM', 'SIGINT', 'uncaughtException'].flatMap((event) =>
    emitter.listeners(event).map((listener) => [event, listener as () => void] as const),
  );
}

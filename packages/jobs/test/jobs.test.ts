import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import {
  createJobs,
  type JobLifecycle,
  type JobOptions,
  UnrecoverableError,
} from '../src/index.js';
import { openNotes } from './memory-backend.js';

const Mail = z.object({ to: z.email(), at: z.coerce.date().optional() });

/** Jobs that send mails, of a backend that takes notes. */
function openMails(options: Partial<JobOptions<typeof Mail>> = {}) {
  const notes = openNotes();
  const errors: unknown[] = [];
  const seen: unknown[] = [];
  const jobs = createJobs(notes.backend, { onError: (error) => errors.push(error) });
  const mails = jobs.define('mail', { payload: Mail, ...options }, async (job) => {
    seen.push(job);
    if (job.payload.to.startsWith('down')) throw new Error('The mail server is down.');
    if (job.payload.to.startsWith('gone')) throw new UnrecoverableError('There is no such box.');
  });
  return { ...notes, jobs, mails, errors, seen };
}

describe('a job', () => {
  it('is stored as JSON, and runs with what the schema returns', async () => {
    const { jobs, mails, added, run, seen } = openMails();
    await jobs.start();
    const at = new Date(0);
    expect(await mails.enqueue({ to: 'ada@example.com', at }, { delay: 5 })).toBe('1');
    const payload = { to: 'ada@example.com', at: '1970-01-01T00:00:00.000Z' };
    expect(added).toEqual([{ name: 'mail', payload, delay: 5 }]);
    expect(await run('mail', payload, 3)).toBeUndefined();
    expect(seen).toEqual([
      { payload: { ...payload, at }, id: '7', attempt: 3, signal: expect.any(AbortSignal) },
    ]);
  });

  it('is refused when its payload does not fit the schema, or JSON', async () => {
    const { jobs, mails, added } = openMails();
    const any = jobs.define('any', { payload: z.any() }, () => undefined);
    await jobs.start();
    await expect(mails.enqueue({ to: 'ada' })).rejects.toThrow(
      "Cannot enqueue the job 'mail': payload.to: Invalid email address. Pass a payload whose JSON fits the schema.",
    );
    await expect(any.enqueue(undefined)).rejects.toThrow('JSON cannot carry undefined.');
    await expect(any.enqueue(1, { delay: -1 })).rejects.toThrow("delay of enqueue() of 'any'");
    await expect(any.enqueue(1, { dely: 1 } as object)).rejects.toThrow("Did you mean 'delay'?");
    expect(added).toEqual([]);
  });

  it('is refused before jobs are open, and after they have stopped', async () => {
    const { jobs, mails } = openMails();
    const mail = { to: 'ada@example.com' };
    await expect(mails.enqueue(mail)).rejects.toThrow('Await start() or open()');
    await jobs.open();
    await mails.enqueue(mail);
    await jobs.stop();
    await expect(mails.enqueue(mail)).rejects.toThrow('jobs have stopped');
  });

  it('runs again after an error, and is reported each time', async () => {
    const { jobs, run, errors } = openMails({ retries: 1 });
    await jobs.start();
    const payload = { to: 'down@example.com' };
    expect(await run('mail', payload)).toMatchObject({ isFinal: false });
    expect(await run('mail', payload, 2)).toMatchObject({ isFinal: false });
    expect(errors.map(String)).toEqual([
      "Error: The job 'mail' (7) failed: attempt 1 of 2. It will run again.",
      "Error: The job 'mail' (7) failed: attempt 2 of 2. It is a dead letter now.",
    ]);
    expect(errors).toEqual([
      expect.objectContaining({ cause: new Error('The mail server is down.') }),
      expect.anything(),
    ]);
  });

  it('does not run again after an UnrecoverableError, or with a payload that no longer fits', async () => {
    const { jobs, run, errors, seen } = openMails();
    await jobs.start();
    expect(await run('mail', { to: 'gone@example.com' })).toMatchObject({ isFinal: true });
    expect(seen).toHaveLength(1);
    expect(await run('mail', { address: 'ada@example.com' })).toEqual({
      isFinal: true,
      error: expect.objectContaining({
        message: expect.stringContaining(
          'The stored payload does not match the schema: payload.to',
        ),
      }),
    });
    expect(seen).toHaveLength(1);
    expect(errors.map(String)).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining('dead letter')),
    );
  });

  it('is recorded as failed even if onError fails', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue(undefined);
    const { backend, run } = openNotes();
    const jobs = createJobs(backend, {
      onError() {
        throw new Error('no log');
      },
    });
    jobs.define('mail', { payload: Mail }, () => {
      throw new Error('down');
    });
    await jobs.start();
    expect(await run('mail', { to: 'ada@example.com' })).toMatchObject({ isFinal: false });
    expect(String(print.mock.calls[0]?.[0])).toContain("The job 'mail' (7) failed");
  });

  it('runs in a transaction if it says so', async () => {
    const { jobs, run, log } = openMails({ transaction: true });
    await jobs.start();
    await run('mail', { to: 'down@example.com' });
    await run('mail', { to: 'ada@example.com' });
    expect(log.slice(1)).toEqual(['begin', 'begin', 'commit']);
  });
});

describe('jobs', () => {
  it.each([
    [1_234, 734],
    [500, 0],
    [0, 0],
  ])(
    'pause when the process begins to stop, and close half a second before its deadline: %i ms',
    async (remaining, timeout) => {
      const { jobs, log } = openMails();
      const stopping = new AbortController();
      const callbacks: ((remaining: number) => unknown)[] = [];
      await jobs.start({
        stopping: stopping.signal,
        onClose: (callback) => callbacks.push(callback),
      });
      expect(log).toEqual(['open mail true']);
      stopping.abort();
      expect(log.slice(1)).toEqual(['pause']);
      for (const callback of callbacks) await callback(remaining);
      await jobs.stop();
      expect(log.slice(2)).toEqual(['pause', `close ${timeout}`]);
    },
  );

  it.each([
    [Infinity, 8_000],
    [1_234, 734],
    [300, 0],
  ])(
    'stop half a second before the deadline of a process that stops, whoever calls stop() first: %i ms',
    async (remaining, timeout) => {
      const { jobs, log } = openMails();
      const callbacks: ((remaining: number) => unknown)[] = [];
      await jobs.start({
        stopping: new AbortController().signal,
        onClose: (callback) => callbacks.push(callback),
        remaining: () => remaining,
      });
      await jobs.stop();
      for (const callback of callbacks) await callback(2_000);
      expect(log.slice(1)).toEqual(['pause', `close ${timeout}`]);
    },
  );

  it.each([[Infinity], [2 ** 31]])(
    'wait as long as a timer can when they stop within %d ms',
    async (timeout) => {
      const { jobs, log } = openMails();
      await jobs.start();
      await jobs.stop(timeout);
      expect(log.slice(1)).toEqual(['pause', `close ${2 ** 31 - 1}`]);
    },
  );

  it.each([['8s'], [-1], [Number.NaN], [null]])('refuse to stop within %j', async (timeout) => {
    const { jobs, log } = openMails();
    await jobs.start();
    await expect(jobs.stop(timeout as number)).rejects.toThrow('stop() of jobs cannot use');
    expect(log).not.toContain('pause');
  });

  it('stop once, and each stop() waits for that', async () => {
    const { backend, log } = openNotes();
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const close = (timeout: number) => backend.close(timeout).then(() => closed);
    const jobs = createJobs({ ...backend, close });
    await jobs.open();
    const stopping = [jobs.stop(1_000), jobs.stop(0)].map(async (stopped) => {
      await stopped;
      log.push('stopped');
    });
    await new Promise(setImmediate);
    log.push('closed');
    resolve();
    await Promise.all(stopping);
    await jobs.stop();
    expect(log.slice(1)).toEqual(['pause', 'close 1000', 'closed', 'stopped', 'stopped']);
  });

  it('run none if the process stops while they open, or they are only open', async () => {
    const { jobs, run, log } = openMails();
    await jobs.start({ stopping: AbortSignal.abort(), onClose: () => undefined });
    expect(run('mail', {})).toBeUndefined();
    expect(log).toEqual(['open mail true']);
    const other = openMails();
    await other.jobs.open();
    expect([other.run('mail', {}), other.log]).toEqual([undefined, ['open mail false']]);
  });

  it('may start again after a start that failed', async () => {
    const { jobs, failWith, log } = openMails();
    failWith(new Error('The database is down.'));
    await expect(jobs.start()).rejects.toThrow('The database is down.');
    failWith(undefined);
    await jobs.start();
    expect(log).toEqual(['open mail true']);
  });

  it('refuse mistakes', async () => {
    const { jobs, backend } = openMails();
    const define = (name: unknown, options: unknown, handler: unknown = () => 1) =>
      expect(() => Reflect.apply(jobs.define, jobs, [name, options, handler]));
    define('a b', { payload: Mail }).toThrow("define() cannot use 'a b' as the name of a job.");
    define('a', {}).toThrow("define('a') needs the option payload. Pass the schema");
    define('a', undefined).toThrow("define('a') needs the option payload.");
    define('a', { payload: {} }).toThrow("payload of define('a') must be a Standard Schema");
    define('a', { payload: Mail, retrys: 1 }).toThrow("Did you mean 'retries'?");
    define('a', { payload: Mail, timeout: 0 }).toThrow('timeout');
    define('a', { payload: Mail }, 1).toThrow("define('a') cannot use 1 as the handler.");
    define('mail', { payload: Mail }).toThrow("The job 'mail' is defined twice.");
    const list = (page: object) => expect(jobs.deadLetters.list(page)).rejects;
    await list({ limt: 1 }).toThrow(
      "deadLetters.list() has no option 'limt'. Did you mean 'limit'?",
    );
    await list({ limit: 0 }).toThrow('limit of deadLetters.list() must be an integer from 1 to');
    await list({ after: 7 }).toThrow('after of deadLetters.list() must be a string: got 7.');
    expect(() => createJobs(backend, { onEror: () => 1 } as object)).toThrow('onError');
    const app = { onClose: () => undefined } as unknown as JobLifecycle;
    await expect(jobs.start(app)).rejects.toThrow('start() cannot use an object as the lifecycle.');
    await jobs.start();
    await expect(jobs.open()).rejects.toThrow('open() was called, but jobs are open already.');
    define('late', { payload: Mail }).toThrow("The job 'late' was defined after jobs were opened.");
  });
});

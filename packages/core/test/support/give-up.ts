import { setTimeout } from 'node:timers/promises';
import { type Middleware, ServiceUnavailableError } from '../../src/index.js';

/** Waits a number of milliseconds for the rest of the pipeline, then aborts the request. */
export function giveUp(milliseconds: number): Middleware {
  return (ctx, next) => {
    const abort = async (): Promise<never> => {
      await setTimeout(milliseconds);
      const error = new ServiceUnavailableError('Gave up.', { code: 'GAVE_UP' });
      ctx.abort(error);
      throw error;
    };
    return Promise.race([next(), abort()]);
  };
}

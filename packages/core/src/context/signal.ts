import type { ServerResponse } from 'node:http';

/**
 * Makes a controller that aborts when a response's connection closes before the response is complete.
 */
export function abortOnClose(res: ServerResponse): AbortController {
  const controller = new AbortController();
  const abort = () => {
    if (!res.writableFinished) controller.abort();
  };
  if (res.destroyed) abort();
  else res.once('close', abort);
  return controller;
}

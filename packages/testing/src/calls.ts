import { AsyncLocalStorage } from 'node:async_hooks';

/** One call: open until it has its response. */
interface Call {
  readonly errors: unknown[];
  open: boolean;
}

/** Tells calls that are made at once apart by their asynchronous context. */
export class Calls {
  readonly #current = new AsyncLocalStorage<Call>();

  /** Notes an error for the call in whose request it was met; on stderr where the call has ended. */
  readonly note = (error: unknown): void => {
    const call = this.#current.getStore();
    if (call?.open) call.errors.push(error);
    else console.error(error);
  };

  /**
   * Makes a call.
   *
   * @param send - Sends a request and gives its response.
   * @throws The first error that was noted meanwhile, or else what `send` threw.
   */
  async make(send: () => Promise<Response>): Promise<Response> {
    const call: Call = { errors: [], open: true };
    const [outcome] = await this.#current.run(call, () => Promise.allSettled([send()]));
    call.open = false;
    if (call.errors.length > 0) throw call.errors[0];
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

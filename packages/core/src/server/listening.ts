/** The applications that `listen()` serves. Authors of plugins ask for them, without loading the server. */
export const listening = new WeakSet<object>();

/** Whether `listen()` serves an application. */
export function isListening(app: object): boolean {
  return listening.has(app);
}

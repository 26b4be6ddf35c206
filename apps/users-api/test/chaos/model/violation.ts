/** Thrown when the service sends a wrong response or loses an acknowledged write. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/**
 * Checks a status that a user gives.
 *
 * @param place - Where it was given, for the message.
 * @throws {RangeError} When it is not an integer from `min` to `max`.
 */
export function assertStatus(place: string, status: number, min: number, max: number): void {
  if (Number.isInteger(status) && status >= min && status <= max) return;
  throw new RangeError(`${place} takes an integer from ${min} to ${max}, not ${String(status)}.`);
}

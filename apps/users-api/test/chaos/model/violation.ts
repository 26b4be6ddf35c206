/** The service gave an answer that no correct service gives, or lost what it had acknowledged. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

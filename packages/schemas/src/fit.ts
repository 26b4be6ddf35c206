/**
 * How well a value fits a schema. A larger number is better, so that all of several schemas is the minimum, and any
 * of them is the maximum.
 */
export const Fit = {
  /** An object, an array or a scalar, where the schema has another of the three. */
  otherType: 0,
  /** Another constant, such as the `kind` of another branch. */
  otherConstant: 1,
  no: 2,
  /** Only without members that the schema refuses. */
  withoutOthers: 3,
  /** Undecided, because JSON Schema cannot say it. */
  maybe: 4,
  yes: 5,
} as const;

export function fitIf(holds: boolean): number {
  return holds ? Fit.yes : Fit.no;
}

export function negate(fit: number): number {
  if (fit === Fit.yes) return Fit.no;
  return fit === Fit.maybe ? Fit.maybe : Fit.yes;
}

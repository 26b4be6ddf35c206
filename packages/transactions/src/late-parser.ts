import { type Doubt, descriptionOf, type Placement } from '@fairlead/core/extend';

/**
 * Finds a parser that reads bodies only after a function that has to run with them.
 *
 * @param call - What to name in the message.
 * @param effect - What that causes.
 */
export function findLateParser(
  call: string,
  effect: string,
  { routes }: Placement,
): Doubt | undefined {
  for (const { method, pattern, after } of routes) {
    const parser = after.map((one) => descriptionOf(one)).find((one) => one?.reads !== undefined);
    if (parser === undefined) continue;
    const message = `${call} runs before ${parser.name} reads the body of ${method} ${pattern}, ${effect}. Register ${parser.name} first, or pass the result of ${call} to intended().`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

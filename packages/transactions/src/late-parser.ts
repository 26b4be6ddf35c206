import { type Doubt, descriptionOf, type Placement } from '@fairlead/core/extend';
import { isIntended } from '@fairlead/options';

/** Methods of requests without a body, and of routes whose handler reads it itself, as those of `mount()`. */
const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'ALL'];

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
  const typesOf = (one: object) => descriptionOf(one)?.reads?.mediaTypes ?? [];
  for (const { method, pattern, before, after } of routes) {
    if (WITHOUT_BODY.includes(method)) continue;
    const read = new Set(before.flatMap(typesOf));
    const parser = after.find(
      (one) => !isIntended(one) && typesOf(one).some((type) => !read.has(type)),
    );
    if (parser === undefined) continue;
    const { name } = descriptionOf(parser) ?? {};
    const message = `${call} runs before ${name} reads the body of ${method} ${pattern}, ${effect}. Register ${name} first, or pass the result of ${call} to intended().`;
    return { code: 'FAIRLEAD_ORDER', message };
  }
  return undefined;
}

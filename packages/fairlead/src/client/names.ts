import { pointerKeys } from '@fairlead/options';
import type { Form } from './types.js';

/** Where documents declare their schemas. */
export const COMPONENTS = '#/components/schemas/';

/** Names that a generated file uses for other types. */
const TAKEN = ['Api', 'ArrayBuffer', 'Blob', 'EventMessage', 'FormData', 'URLSearchParams'];

/**
 * Chooses the names of declarations, each once in the file.
 *
 * @param targets - References to the schemas, in the order of the file.
 * @param isSplit - Whether a schema has a declaration for each form.
 */
export function chooseNames(
  targets: readonly string[],
  isSplit: (target: string) => boolean,
): ReadonlyMap<string, Readonly<Record<Form, string>>> {
  const taken = new Set<string>();
  const choose = (base: string): string => {
    let name = TAKEN.includes(base) ? `${base}Schema` : base;
    for (let number = 2; taken.has(name); number += 1) name = `${base}${number}`;
    taken.add(name);
    return name;
  };
  const received = targets.map((target) => [target, choose(nameFor(target))] as const);
  return new Map(
    received.map(([target, name]) => [
      target,
      { received: name, sent: isSplit(target) ? choose(`${name}Input`) : name },
    ]),
  );
}

/** Keywords that add nothing to a name. */
const WORDLESS = ['components', 'schemas', 'properties', 'paths', 'content', 'schema'];

/** Returns the name of a type: the words of a reference, such as `PaymentIntent` for `payment_intent`. */
function nameFor(target: string): string {
  const keys = pointerKeys(target);
  const own = target.startsWith(COMPONENTS) && keys.length === 3 ? keys.slice(2) : keys;
  const words = own
    .filter((key) => own.length === 1 || !WORDLESS.includes(key))
    .flatMap((key) => key.match(/[^\P{ID_Continue}_]+/gu) ?? []);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^\p{ID_Start}/u.test(name) ? name : `_${name}`;
}

import type { DocumentSchemas } from '@fairlead/schemas';

/** A change that may make a value invalid. */
export interface Fault {
  /** Such as `name is missing`. */
  readonly label: string;
  /** Returns the changed value; undefined if the value has no such part. */
  readonly apply: (value: unknown) => { readonly value: unknown } | undefined;
}

type Keywords = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

/** How deep faults are. */
const DEPTH = 3;

/** The longest text, and list, that is sent to exceed a limit. */
const LONGEST = 10_000;

/**
 * Lists changes after which a value probably does not fit its schema.
 *
 * @param isText - Whether the request carries the value as text, so that every text is a string.
 */
export function listFaults(
  schemas: DocumentSchemas,
  schema: unknown,
  isText: boolean,
  path: Path = [],
): readonly Fault[] {
  const parts = schemas.partsOf(schema);
  const own = parts.flatMap((part) => [
    ...wrongValues(part, isText).map(([label, change]) => createFault(path, label, change)),
    ...wrongMembers(part, isText, path),
  ]);
  if (!isText)
    own.push(...OTHERS.map((one) => createFault(path, `is ${JSON.stringify(one)}`, () => one)));
  if (path.length >= DEPTH || isText) return own;
  return [...own, ...parts.flatMap((part) => innerFaults(schemas, part, path))];
}

function innerFaults(schemas: DocumentSchemas, part: Keywords, path: Path): readonly Fault[] {
  const members = Object.entries({ ...Object(part.properties) }).flatMap(([name, inner]) =>
    listFaults(schemas, inner, false, [...path, name]),
  );
  const { items } = part;
  const isList = typeof items === 'object' && items !== null && !Array.isArray(items);
  return isList ? [...members, ...listFaults(schemas, items, false, [...path, 0])] : members;
}

/** Values of each type. The schema decides which of them it refuses. */
const OTHERS: readonly unknown[] = [null, true, 1.5, 'text', [], {}];

/** Returns undefined if the value has no such part. */
type Change = (value: unknown) => unknown;

/** Lists what exceeds the limits of a schema. */
function wrongValues(part: Keywords, isText: boolean): readonly (readonly [string, Change])[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, type } = part;
  const { minLength, maxLength, pattern, format, minItems, maxItems, uniqueItems } = part;
  const found: (readonly [string, Change])[] = [];
  const add = (label: string, change: Change) => found.push([label, change]);
  const isNumber = [type].flat().some((one) => one === 'number' || one === 'integer');
  if (isText && (isNumber || type === 'boolean')) add('is a text', () => 'text');
  if (type === 'integer') add('is 1.5', () => 1.5);
  if (typeof minimum === 'number') add('is too small', () => minimum - 1);
  if (typeof maximum === 'number') add('is too large', () => maximum + 1);
  if (typeof exclusiveMinimum === 'number') add('is too small', () => exclusiveMinimum);
  if (typeof exclusiveMaximum === 'number') add('is too large', () => exclusiveMaximum);
  if (typeof multipleOf === 'number')
    add('is no multiple', (value) => Number(value) + multipleOf / 2);
  if (typeof minLength === 'number' && minLength > 0)
    add('is too short', (value) => String(value).slice(0, minLength - 1));
  if (typeof maxLength === 'number' && maxLength < LONGEST)
    add('is too long', (value) => String(value).padEnd(maxLength + 1, 'x'));
  if (pattern !== undefined || format !== undefined) {
    add('has another format', () => 'not it');
    add('has another format', (value) => `${value}\u0001`);
  }
  if ('const' in part || 'enum' in part) add('is unknown', () => 'unknown');
  if (typeof minItems === 'number' && minItems > 0)
    add('has too few elements', (value) =>
      Array.isArray(value) ? value.slice(0, minItems - 1) : [],
    );
  if (typeof maxItems === 'number' && maxItems < LONGEST)
    add('has too many elements', (value) =>
      Array.isArray(value) && value.length > 0
        ? Array.from({ length: maxItems + 1 }, (_, index) => value[index % value.length])
        : value,
    );
  if (uniqueItems === true)
    add('repeats an element', (value) =>
      Array.isArray(value) && value.length > 0 ? [...value, value[0]] : value,
    );
  return found;
}

/** Lists members that must be there, or must not. */
function wrongMembers(part: Keywords, isText: boolean, path: Path): readonly Fault[] {
  const required: readonly unknown[] = Array.isArray(part.required) ? part.required : [];
  const missing = required.map((name) =>
    createFault(path, `lacks ${name}`, (value) => {
      const { [String(name)]: _, ...others }: Keywords = { ...Object(value) };
      // As text, an object without members is no object at all.
      return isText && Object.keys(others).length === 0 ? undefined : others;
    }),
  );
  if (part.additionalProperties !== false || isText) return missing;
  const unexpected = (value: unknown) => ({ ...Object(value), unexpected: 1 });
  return [...missing, createFault(path, 'has another member', unexpected)];
}

function createFault(path: Path, label: string, change: Change): Fault {
  const place = path.length === 0 ? '' : `${path.join('.')} `;
  return { label: place + label, apply: (value) => changeAt(value, path, change) };
}

/** Changes a part of a value; undefined if its parent is not there. */
function changeAt(
  value: unknown,
  [key, ...rest]: Path,
  change: Change,
): { readonly value: unknown } | undefined {
  if (key === undefined) {
    const changed = change(value);
    return changed === undefined ? undefined : { value: changed };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) !== (typeof key === 'number') || (key === 0 && !Object.hasOwn(value, 0)))
    return undefined;
  const inner = changeAt(Reflect.get(value, key), rest, change);
  if (inner === undefined) return undefined;
  if (Array.isArray(value)) return { value: value.with(Number(key), inner.value) };
  return { value: { ...value, [key]: inner.value } };
}

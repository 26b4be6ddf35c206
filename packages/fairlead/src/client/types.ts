/** A TypeScript type that is not yet text. */
export type Type =
  /** A keyword or a literal. */
  | string
  | Reference
  | Combination
  | { readonly kind: 'array'; readonly item: Type }
  | Tuple
  | { readonly kind: 'generic'; readonly name: string; readonly types: readonly Type[] }
  | ObjectType;

/** Whether clients send or receive a value. */
export type Form = 'sent' | 'received';

/** The declaration of a schema. Its name is known when all schemas are read. */
export interface Reference {
  readonly kind: 'reference';
  /** A JSON Pointer in a fragment, such as `#/components/schemas/User`. */
  readonly target: string;
  readonly form: Form;
}

/** A union or an intersection of at least two types. */
export interface Combination {
  readonly kind: 'union' | 'intersection';
  readonly types: readonly Type[];
}

export interface Tuple {
  readonly kind: 'tuple';
  readonly items: readonly Type[];
  /** The number of items that are always there. */
  readonly required: number;
  readonly rest: Type | undefined;
}

/** The type of an object. */
export interface ObjectType {
  readonly kind: 'object';
  readonly members: readonly Member[];
  /** Whether each member has a line, even if all fit on one. */
  readonly isBlock?: true;
}

/** A member of an object type. */
export interface Member {
  /** `name`, `"user-id"` or `[name: string]`. */
  readonly key: string;
  readonly type: Type;
  readonly isOptional?: boolean;
  readonly isReadonly?: boolean;
  /** Paragraphs and tags of its documentation. */
  readonly comment?: readonly string[];
}

/** Joins types of which a value has one. */
export function union(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (isCombination(type, 'union') ? type.types : [type]));
  if (flat.includes('unknown')) return 'unknown';
  return (
    combine(
      'union',
      flat.filter((type) => type !== 'never'),
    ) ?? 'never'
  );
}

/** Joins types that a value has at once. */
export function intersection(types: readonly Type[]): Type {
  const flat = types.flatMap((type) => (isCombination(type, 'intersection') ? type.types : [type]));
  if (flat.includes('never')) return 'never';
  return (
    combine(
      'intersection',
      flat.filter((type) => type !== 'unknown'),
    ) ?? 'unknown'
  );
}

function combine(kind: Combination['kind'], types: readonly Type[]): Type | undefined {
  const unique = [...new Map(types.map((type) => [JSON.stringify(type), type])).values()];
  return unique.length > 1 ? { kind, types: unique } : unique[0];
}

/** Whether a type is a union, or an intersection. */
export function isCombination(type: Type, kind: Combination['kind']): type is Combination {
  return typeof type === 'object' && type.kind === kind;
}

/** Whether a type is that of an object with known members. */
export function isObject(type: Type | undefined): type is ObjectType {
  return typeof type === 'object' && type.kind === 'object';
}

/** Returns the type with other references, or without those for which `replace` returns undefined. */
export function replaceReferences(
  type: Type,
  replace: (reference: Reference) => Type | undefined,
): Type | undefined {
  if (typeof type === 'string') return type;
  if (type.kind === 'reference') return replace(type);
  if (type.kind !== 'union' && type.kind !== 'intersection') return type;
  const types = type.types.flatMap((one) => replaceReferences(one, replace) ?? []);
  return combine(type.kind, types);
}

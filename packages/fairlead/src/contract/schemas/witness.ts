import type { Case } from './case.js';
import type { Part } from './part.js';
import { judge, type Sending } from './verdict.js';

/** How many values it tries for a case. */
const MAX_VALUES = 60;

/** How deep it looks for values of members and items. */
const MAX_DEPTH = 3;

/** Texts, some of which most conditions refuse, and some of which most formats accept. */
const TEXTS = [
  ...['', ' ', '0', '1', 'a', 'A', '-', '\n', 'ab', 'Aa0 -', '12', '123456789', 'abcdefghij'],
  ...['2024-01-01', '2024-01-01T00:00:00Z', '00:00:00Z', 'P1D', 'a@a.com', 'https://a.com/'],
  ...['00000000-0000-4000-8000-000000000000', '1.1.1.1', '::1'],
];

/** The longest text that it makes for a limit. */
const MAX_LENGTH = 10_000;

/** Finds values of cases. */
export class Witnesses {
  readonly #casesOf: (parts: readonly Part[]) => readonly Case[];
  readonly #sending: Sending;
  readonly #known = new Map<string, readonly unknown[]>();

  /** @param casesOf - Lists the cases of schemas. */
  constructor(casesOf: (parts: readonly Part[]) => readonly Case[], sending: Sending) {
    this.#casesOf = casesOf;
    this.#sending = sending;
  }

  /** Whether a case is known to have a value that one of some schemas refuses. */
  refutes(one: Case, outers: readonly Part[]): boolean {
    return this.#of(one, 0).some((value) =>
      outers.some((part) => judge(value, part, this.#sending) === false),
    );
  }

  /** Lists values that a case is known to have. */
  #of(one: Case, depth: number): readonly unknown[] {
    const key = `${depth} ${one.key}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    // What is written as text is a value of the schema.
    const plain = { ...this.#sending, isText: false };
    const values = this.#candidates(one, depth)
      .slice(0, MAX_VALUES)
      .filter((value) => one.parts.every((part) => judge(value, part, plain) === true));
    this.#known.set(key, values);
    return values;
  }

  #candidates(one: Case, depth: number): readonly unknown[] {
    const { types, values } = one;
    if (values !== undefined) return values;
    const inner = (parts: readonly Part[]) =>
      depth < MAX_DEPTH ? this.#casesOf(parts).flatMap((each) => this.#of(each, depth + 1)) : [];
    return [
      ...(types.has('object') ? objectsOf(one, inner) : []),
      ...(types.has('array') ? listsOf(one, inner) : []),
      ...(types.has('string') ? textsOf(one) : []),
      ...(types.has('integer') || types.has('fraction') ? numbersOf(one) : []),
      ...(types.has('boolean') ? [true, false] : []),
      ...(types.has('null') ? [null] : []),
    ];
  }
}

function textsOf(one: Case): readonly string[] {
  const lengths = [one.least('minLength'), one.most('maxLength')];
  return [
    ...lengths.filter((length) => length <= MAX_LENGTH).map((length) => 'a'.repeat(length)),
    ...TEXTS,
  ];
}

function numbersOf(one: Case): readonly number[] {
  const { lower, upper, types } = one;
  const limits = [lower.value, upper.value].filter(Number.isFinite);
  const near = limits.flatMap((limit) => [limit, limit + 1, limit - 1]);
  const steps = one.numbers('multipleOf').flatMap((step) => [step, 2 * step, -step]);
  const fractions = types.has('fraction') ? [0.5, ...limits.map((limit) => limit + 0.5)] : [];
  return [0, 1, -1, 2, 7, ...near, ...steps, ...fractions];
}

type Inner = (parts: readonly Part[]) => readonly unknown[];

function listsOf(one: Case, inner: Inner): readonly (readonly unknown[])[] {
  const length = Math.max(1, Math.min(one.least('minItems'), MAX_VALUES));
  const [item] = inner(one.item(0));
  const first = Array.from({ length }, (_, index) => inner(one.item(index))[0] ?? item);
  const others = inner(one.item(0)).map((value) => [value, ...first.slice(1)]);
  return [[], first, ...others];
}

/** Makes objects with the members that they need, with all members, and with other values of each. */
function objectsOf(one: Case, inner: Inner): readonly object[] {
  const names = [...one.required, ...[...one.names].filter((name) => !one.required.has(name))];
  const values = new Map(
    names.map((name) => {
      const parts = one.member(name);
      return [name, parts === undefined ? [] : inner(parts)] as const;
    }),
  );
  const withFirst = (list: readonly string[]) =>
    Object.fromEntries(
      list.flatMap((name) => {
        const [first] = values.get(name) ?? [];
        return first === undefined ? [] : [[name, first] as const];
      }),
    );
  const [least, most] = [withFirst([...one.required]), withFirst(names)];
  const others = names.flatMap((name) =>
    (values.get(name) ?? []).map((value) => ({ ...least, [name]: value })),
  );
  return [least, most, ...others];
}

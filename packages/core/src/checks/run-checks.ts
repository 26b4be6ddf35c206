import { atLine } from '@fairlead/options';
import type { Middleware } from '../pipeline/pipeline.js';
import type { Layout, Place } from './layout.js';

/** Stands for the names in the message of a finding. */
export const NAMES = '\0';

/** What a rule has found. Findings with the same message become one, which lists the names of all. */
interface Finding {
  /** By default the code of the rule. */
  readonly code?: string;
  /** Contains {@link NAMES} if there are names. */
  readonly message: string;
  /** A finding with an empty list is dropped. */
  readonly names?: readonly string[];
  /** The value whose location the message ends with. */
  readonly at?: object | undefined;
  /** Separates findings with the same message. */
  readonly about?: unknown;
}

/** What a rule returns: findings, or only their messages. */
export type Found = string | Finding | readonly (string | Finding)[] | undefined;

/** Applies rules to a layout. */
export type Check = (layout: Layout) => readonly (Finding & { readonly code: string })[];

/** Creates the function that creates checks. A check applies rules to each subject in turn. */
function checkEach<Subject>(
  subjectsOf: (layout: Layout) => readonly Subject[],
  defaultsOf: (subject: Subject) => Partial<Finding> = () => ({}),
) {
  type Rule = (subject: Subject, layout: Layout) => Found;
  /** @param rules - By the code of what they find: an error, or a warning that begins with `FAIRLEAD_`. */
  return (rules: Readonly<Record<string, readonly Rule[]>>): Check =>
    (layout) =>
      subjectsOf(layout).flatMap((subject) =>
        Object.entries(rules).flatMap(([code, some]) =>
          some.flatMap((rule) =>
            [rule(subject, layout) ?? []].flat().map((one) => ({
              code,
              ...defaultsOf(subject),
              ...(typeof one === 'string' ? { message: one } : one),
            })),
          ),
        ),
      );
}

/** Creates a check of each route, which findings name. */
export const forRoutes = checkEach(
  ({ routes }) => routes,
  ({ name, options }) => ({ names: [name], at: options }),
);

/** A middleware with what is registered before and after it. */
export interface PlacedMiddleware extends Place {
  readonly middleware: Middleware;
  readonly before: readonly Place[];
  readonly after: readonly Place[];
}

/** Creates a check of each middleware of the application. */
export const forMiddleware = checkEach(
  ({ places }) =>
    places.flatMap(({ middleware, ...place }, index): readonly PlacedMiddleware[] => {
      if (middleware === undefined) return [];
      const before = places.slice(0, index);
      return [{ ...place, middleware, before, after: places.slice(index + 1) }];
    }),
  (one) => ({ at: one.middleware, about: one }),
);

/** Creates a check of everything at once. */
export const forAll = checkEach((layout) => [layout]);

/** The maximum number of names that a message lists. */
const LISTED = 3;

/** Returns the code and the message of what checks find, in their order. */
export function runChecks(
  checks: readonly Check[],
  layout: Layout,
): readonly (readonly [code: string, message: string])[] {
  const merged = new Map<unknown, ReturnType<Check>[number] & { readonly all: string[] }>();
  for (const finding of checks.flatMap((check) => check(layout))) {
    const { message, names = [''], about = message } = finding;
    const first = merged.get(about);
    if (first !== undefined) first.all.push(...names.filter((name) => !first.all.includes(name)));
    else if (names.length > 0) merged.set(about, { ...finding, all: [...names] });
  }
  return [...merged.values()].map(({ code, message, at, all }) => {
    const names = all.slice(0, LISTED).join(', ');
    const list = all.length > LISTED ? `${names} and ${all.length - LISTED} more` : names;
    return [code, message.replace(NAMES, () => list) + atLine(at)];
  });
}

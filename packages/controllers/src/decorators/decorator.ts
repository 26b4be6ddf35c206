import { describe, describeLike } from '@fairlead/core/extend';
import type { Class } from '@fairlead/di';
import { type CallSite, captureCallSite, isClass, named } from '@fairlead/options';
import { ControllerError, errorText } from '../errors.js';
import {
  type ClassMetadata,
  classMetadata,
  lineage,
  type MethodMetadata,
  methodMetadata,
  ownMetadata,
  styleOf,
  undiscovered,
} from '../metadata/class-metadata.js';
import { type Fault, recordMistake } from '../metadata/mistakes.js';
import { CLASS_STYLE, type Spell, type Style } from '../metadata/style.js';

/** What a decorator decorates. */
interface Place {
  readonly kind: Style['controller' | 'route'] | 'accessor' | 'property' | 'parameter';
  readonly isStatic: boolean;
  /** The class. */
  readonly owner: object;
  /** How the class is written. */
  readonly style: Style;
  /** Name of the member; undefined for a class and for its constructor. */
  readonly key: string | symbol | undefined;
  /** Index of a parameter; 0 for everything else. */
  readonly index: number;
}

/** What a decorator may decorate, and where its metadata is. */
interface Target<Metadata> {
  readonly accepts: (place: Place) => boolean;
  /** An imperative sentence that begins in lower case, for each kind of controller. */
  readonly fix: Readonly<Record<Style['controller'], string>>;
  readonly metadataOf: (place: Place) => Metadata;
}

const methodMetadataOf = ({ owner, key = '' }: Place) => methodMetadata(owner, key);

export const CLASS: Target<ClassMetadata> = {
  accepts: ({ kind }) => kind === 'class',
  fix: { class: 'move it to the class.', controller: 'remove it.' },
  metadataOf: ({ owner }) => classMetadata(owner),
};

export const METHOD: Target<MethodMetadata> = {
  accepts: ({ kind, isStatic }) => (kind === 'method' || kind === 'route') && !isStatic,
  fix: {
    class: 'move it to an instance method.',
    controller: 'move it to the metadata of the routes.',
  },
  metadataOf: methodMetadataOf,
};

export const CLASS_OR_METHOD: Target<ClassMetadata | MethodMetadata> = {
  accepts: (place) =>
    place.kind === 'class' || place.kind === 'controller' || METHOD.accepts(place),
  fix: { class: 'move it to the class or to an instance method.', controller: 'remove it.' },
  metadataOf: (place) => (place.key === undefined ? CLASS : METHOD).metadataOf(place),
};

export const PARAMETER: Target<MethodMetadata> = {
  accepts: ({ kind, isStatic, key }) => kind === 'parameter' && !isStatic && key !== undefined,
  fix: {
    class: 'move it to a parameter of an instance method.',
    controller: 'remove it, and read the value from ctx.',
  },
  metadataOf: methodMetadataOf,
};

export interface Reading<Metadata> {
  /** What is wrong with the arguments; nothing by default. */
  readonly faults?: readonly Fault[];
  /** Finds what is wrong with decorating a place, before it is decorated. */
  readonly check?: (metadata: Metadata, place: Place) => Fault | undefined;
  /** Where the decorator was called, if it needs to know. */
  readonly site?: CallSite;
  /** Returns the metadata to set, even if there are faults. Decorators run from bottom to top. */
  readonly apply?: (metadata: Metadata, place: Place) => Partial<Metadata>;
}

interface DecoratorKind<Metadata> {
  readonly name: string;
  readonly target: Target<Metadata>;
  /** The largest number of arguments. */
  readonly takes: number;
  /** How to write it, such as `@HttpCode(201)`. Default: without arguments. */
  readonly example?: string;
  /** Whether its parentheses may be omitted. */
  readonly isBare?: boolean;
  /** Whether a class is a valid argument. Default: it may be, or the parentheses are missing. */
  readonly acceptsClass?: (value: unknown) => boolean;
  /**
   * Reads the arguments. There are none if its parentheses are missing. If there are faults, it runs again with the
   * spelling of the decorated controller.
   */
  readonly read: (
    spell: Spell,
    first: unknown,
    second: unknown,
    values: readonly unknown[],
  ) => Reading<Metadata>;
}

/**
 * Creates a function that creates decorators. They write metadata, and record mistakes in their use as problems
 * of the class, which the startup reports. The constant that it is assigned to declares the calls that it accepts.
 */
export function createDecorator<Decorator, Metadata>(kind: DecoratorKind<Metadata>): Decorator {
  const { name, example = `@${name}()` } = kind;
  // A bound function has no frame, so that the stack above callDecorator() starts where the decorator is called.
  const call = callDecorator<Metadata>;
  const create = named(name, call.bind(undefined, kind, createMark(name)));
  return describe(create, { name: example, role: 'decoratorFactory' }) as Decorator;
}

/** Creates what gives decorators the description by which every place refuses them that takes guards or middleware. */
export function createMark(name: string): object {
  return describe({}, { name: `@${name}()`, role: 'decorator' });
}

/**
 * @param mark - From {@link createMark}.
 * @param values - The arguments. Without parentheses, it is called with the declaration instead.
 */
function callDecorator<Metadata>(
  kind: DecoratorKind<Metadata>,
  mark: object,
  ...values: readonly unknown[]
): unknown {
  const { name } = kind;
  // By index: a start calls thousands of decorators, and iterators would take twice as long.
  const first = values[0];
  const second = values[1];
  if (typeof first === 'function') assertExperimental(name, second);
  if (isDeclaration(values)) {
    decorateBare(kind, placeOf(...values));
    return undefined;
  }
  const reading = kind.read(CLASS_STYLE.spell, first, second, values);
  const findFaults = (spell: Spell): readonly Fault[] => [
    ...(kind.read(spell, first, second, values).faults ?? []),
    ...countFaults(kind, values, spell),
  ];
  const isFaulty = (reading.faults ?? []).length > 0 || hasTooMany(kind, values);
  const site = reading.site ?? (isFaulty ? captureDecorator() : undefined);
  const decorator = (...declaration: Declaration): void => {
    assertExperimental(name, declaration[1]);
    const place = placeOf(...declaration);
    const faults = isFaulty ? findFaults(place.style.spell) : [];
    decorate(kind, place, { ...reading, faults, ...(site && { site }) });
  };
  describeLike(decorator, mark);
  const isAmbiguous = values.length === 1 && isClass(first) && !kind.acceptsClass?.(first);
  return isAmbiguous ? createStandIn(first, kind, decorator) : decorator;
}

/** Captures where the decorator is called whose arguments are being read. */
export function captureDecorator(): CallSite {
  return captureCallSite(callDecorator);
}

/** @throws {ControllerError} 500 `STANDARD_DECORATOR`, if the second argument is that of a standard decorator. */
export function assertExperimental(decorator: string, second: unknown): void {
  if (typeof second !== 'object' || second === null || !('kind' in second)) return;
  const title = `@${decorator}() was compiled as a standard decorator, but it is an experimental one.`;
  const fix = 'set experimentalDecorators and emitDecoratorMetadata to true in tsconfig.json.';
  throw new ControllerError(errorText(title, fix), { code: 'STANDARD_DECORATOR' });
}

/** What a decorator is called with: a class or prototype, a member's name, a descriptor or index. */
export type Declaration = readonly [
  target: object,
  key?: string | symbol | undefined,
  third?: unknown,
];

/** Whether the arguments are a member or a parameter, because the parentheses of the decorator are missing. */
export function isDeclaration(values: readonly unknown[]): values is Declaration {
  if (values.length !== 3) return false;
  const [target, key, third] = values;
  const isObject = typeof target === 'function' || (typeof target === 'object' && target !== null);
  if (!isObject) return false;
  if (typeof third === 'number') return key === undefined || isKey(key);
  if (!isKey(key)) return false;
  if (third !== undefined) return isDescriptor(third);
  return Object.hasOwn(target, typeof target === 'function' ? key : 'constructor');
}

function isKey(value: unknown): value is string | symbol {
  return typeof value === 'string' || typeof value === 'symbol';
}

function isDescriptor(value: unknown): value is PropertyDescriptor {
  return typeof value === 'object' && value !== null && 'configurable' in value;
}

function placeOf(target: object, key?: string | symbol, third?: unknown): Place {
  const owner = typeof target === 'function' ? target : target.constructor;
  const style = styleOf(owner);
  return {
    kind: kindOf(style, target, key, third),
    isStatic: typeof target === 'function' && key !== undefined,
    owner,
    style,
    key,
    index: typeof third === 'number' ? third : 0,
  };
}

/** How the class is written that decorators are called with. */
export function declaredStyle(declaration: Declaration): Style {
  return placeOf(...declaration).style;
}

function kindOf(
  style: Style,
  target: object,
  key: string | symbol | undefined,
  third: unknown,
): Place['kind'] {
  if (typeof third === 'number') return 'parameter';
  if (key === undefined) return style.controller;
  // Code that calls a decorator directly may omit the descriptor. The member may be inherited.
  const descriptor = isDescriptor(third)
    ? third
    : lineage(target).reduceRight<PropertyDescriptor | undefined>(
        (found, level) => found ?? Object.getOwnPropertyDescriptor(level, key),
        undefined,
      );
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) return 'accessor';
  return typeof descriptor?.value === 'function' ? style.route : 'property';
}

/** Decorates as if there were parentheses without arguments, so that nothing else is reported. */
function decorateBare<Metadata>(kind: DecoratorKind<Metadata>, place: Place): void {
  const { name, example = `@${name}()`, isBare = false } = kind;
  const { spell } = place.style;
  const reading = kind.read(spell, undefined, undefined, []);
  const faults = isBare ? [] : [missingParentheses(name, example, spell)];
  decorate(kind, place, { ...reading, faults });
}

/** @param example - How to write the decorator. */
export function missingParentheses(name: string, example: string, spell: Spell): Fault {
  const problem = `${spell(`@${name}`)} is missing its parentheses.`;
  return { code: 'MISSING_PARENTHESES', problem, fix: `write ${spell(example)}.` };
}

function decorate<Metadata>(
  kind: DecoratorKind<Metadata>,
  place: Place,
  { faults = [], check, apply, site }: Reading<Metadata>,
): void {
  if (!kind.target.accepts(place)) {
    // The arguments of a misplaced decorator may be meant for another one.
    recordMistake(place, misplacement(kind, place), site);
    return;
  }
  const metadata = kind.target.metadataOf(place);
  for (const fault of faults) recordMistake(place, fault, site);
  const fault = check?.(metadata, place);
  if (fault !== undefined) recordMistake(place, fault, site);
  Object.assign(metadata as object, apply?.(metadata, place));
}

/** Creates what decorates, if its only argument is a class, or else replaces a class without parentheses. */
function createStandIn<Metadata>(
  original: Class,
  kind: DecoratorKind<Metadata>,
  decorator: (...declaration: Declaration) => void,
): Class {
  const standIn = new Proxy(original, {
    apply: (_original, _receiver, declaration) => Reflect.apply(decorator, undefined, declaration),
    // The stand-in inherits the metadata of the class, like a subclass.
    getPrototypeOf: () => original,
  });
  classMetadata(standIn).controller = ownMetadata(original)?.controller;
  decorateBare(kind, placeOf(standIn));
  // If the class is an argument, nothing exports the stand-in.
  undiscovered.delete(standIn);
  return standIn;
}

function misplacement<Metadata>({ name, target }: DecoratorKind<Metadata>, place: Place): Fault {
  const { spell, cannotTake } = place.style;
  const problem = `${spell(`@${name}()`)} ${cannotTake} ${describePlace(place)}.`;
  return { code: 'DECORATOR_PLACE', problem, fix: placeFix(target, place) };
}

function placeFix<Metadata>({ accepts, fix }: Target<Metadata>, place: Place): string {
  if (accepts({ ...place, isStatic: false })) return 'remove the keyword static.';
  const isField = place.kind === 'property' || place.kind === 'accessor';
  if (!isField || !accepts({ ...place, kind: 'method' })) return fix[place.style.controller];
  return `make it a method: ${String(place.key)}() { … }.`;
}

type Counted = Pick<DecoratorKind<never>, 'name' | 'takes'>;

function hasTooMany({ takes }: Pick<Counted, 'takes'>, values: readonly unknown[]): boolean {
  return values.slice(takes).some((value) => value !== undefined);
}

function countFaults(kind: Counted, values: readonly unknown[], spell: Spell): Fault[] {
  const { name, takes } = kind;
  if (!hasTooMany(kind, values)) return [];
  const call = spell(`@${name}()`);
  if (takes === 0) return [{ problem: `${call} takes no arguments.`, fix: 'remove them.' }];
  const limit = takes === 1 ? 'one argument' : `${takes} arguments`;
  return [{ problem: `${call} takes at most ${limit}.`, fix: 'remove the others.' }];
}

/** Describes a place without its class and name, as `a static method`. */
function describePlace({ kind, isStatic, key, index }: Place): string {
  if (kind === 'parameter') {
    const suffix =
      key === undefined ? ' of the constructor' : isStatic ? ' of a static method' : '';
    return `parameter ${index}${suffix}`;
  }
  return isStatic ? `a static ${kind}` : kind === 'accessor' ? 'an accessor' : `a ${kind}`;
}

/** @param explain - Returns the fault, or creates it in the spelling of the decorated controller. */
export function recordFault(declaration: Declaration, explain: (spell: Spell) => Fault): void {
  const place = placeOf(...declaration);
  recordMistake(place, explain(place.style.spell));
}

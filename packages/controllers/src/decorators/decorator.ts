import type { Class } from '@fairlead/di';
import {
  type CallSite,
  captureCallSite,
  describeCallSite,
  findOptionProblems,
  isClass,
  type Kinds,
} from '@fairlead/options';
import { ControllerError, type Diagnostic, RouteRegistrationError } from '../errors.js';
import {
  assertExperimental,
  type ClassMetadata,
  classMetadata,
  decoratorProblem,
  type MethodMetadata,
  methodMetadata,
  ownMetadata,
  undiscovered,
} from '../metadata/class-metadata.js';

/** What a decorator decorates. */
interface Place {
  readonly kind: 'class' | 'method' | 'accessor' | 'property' | 'parameter';
  readonly isStatic: boolean;
  /** The class. */
  readonly owner: object;
  /** Name of the member; undefined for a class and for its constructor. */
  readonly key: string | symbol | undefined;
  /** Index of a parameter; 0 for everything else. */
  readonly index: number;
}

/** What a decorator may decorate, and where its metadata is. */
interface Target<Metadata> {
  readonly accepts: (place: Place) => boolean;
  /** An imperative sentence that begins in lower case. */
  readonly fix: string;
  readonly metadataOf: (place: Place) => Metadata;
}

export const CLASS: Target<ClassMetadata> = {
  accepts: ({ kind }) => kind === 'class',
  fix: 'move it to the class.',
  metadataOf: ({ owner }) => classMetadata(owner),
};

export const METHOD: Target<MethodMetadata> = {
  accepts: ({ kind, isStatic }) => kind === 'method' && !isStatic,
  fix: 'move it to an instance method.',
  metadataOf: methodMetadataOf,
};

export const CLASS_OR_METHOD: Target<ClassMetadata | MethodMetadata> = {
  accepts: (place) => CLASS.accepts(place) || METHOD.accepts(place),
  fix: 'move it to the class or to an instance method.',
  metadataOf: (place) => (place.key === undefined ? CLASS : METHOD).metadataOf(place),
};

export const PARAMETER: Target<MethodMetadata> = {
  accepts: ({ kind, isStatic, key }) => kind === 'parameter' && !isStatic && key !== undefined,
  fix: 'move it to a parameter of an instance method.',
  metadataOf: methodMetadataOf,
};

function methodMetadataOf({ owner, key = '' }: Place): MethodMetadata {
  return methodMetadata(owner, key);
}

/** What is wrong with the use of a decorator. */
export interface Fault extends Diagnostic {
  /** Code of the error. Default: that of a {@link RouteRegistrationError}. */
  readonly code?: string;
}

/** The options of a decorator. */
export interface OptionsReading<Options> {
  /** Empty if there are faults. */
  readonly options: Partial<Options>;
  readonly faults: readonly Fault[];
}

const NO_OPTIONS: OptionsReading<object> = Object.freeze({
  options: Object.freeze({}),
  faults: Object.freeze([]),
});

/**
 * Checks the options of a decorator.
 *
 * @param call - The call, such as `@Body()`.
 * @param value - What the caller passed; undefined for none.
 */
export function readOptions<Options extends object>(
  call: string,
  value: unknown,
  kinds: Partial<Kinds<Options>>,
): OptionsReading<Options> {
  if (value === undefined) return NO_OPTIONS;
  const options = value as Partial<Options>;
  const problems = findOptionProblems(call, options, kinds as Kinds<Partial<Options>>);
  if (problems.length === 0) return { options, faults: NO_OPTIONS.faults };
  return { ...NO_OPTIONS, faults: problems.map((problem) => ({ problem })) };
}

/** What a decorator does with its arguments. */
export interface Reading<Metadata> {
  /** What is wrong with the arguments; nothing by default. */
  readonly faults?: readonly Fault[];
  /** Finds what is wrong with decorating a place, before it is decorated. */
  readonly check?: (metadata: Metadata, place: Place) => Fault | undefined;
  /** Writes the metadata, even if there are faults. */
  readonly apply?: (metadata: Metadata, place: Place) => void;
}

/** A kind of decorator. */
interface DecoratorKind<Metadata> {
  /** Its name, for messages. */
  readonly name: string;
  readonly target: Target<Metadata>;
  /** Number of arguments that it takes. */
  readonly takes: number;
  /** How to write it, such as `@HttpCode(201)`. Default: without arguments. */
  readonly example?: string;
  /** Whether its parentheses may be omitted. */
  readonly isBare?: boolean;
  /** Whether a class is a valid argument. Default: it may be, or the parentheses are missing. */
  readonly acceptsClass?: (value: unknown) => boolean;
  /**
   * Reads the first two arguments.
   *
   * @param count - Number of arguments: 0 if its parentheses are missing.
   */
  readonly read: (first: unknown, second: unknown, count: number) => Reading<Metadata>;
}

/**
 * Creates the function that decorates. It writes metadata, and records mistakes in the use of the
 * decorator as problems of the class, which the startup reports.
 *
 * @param kind - What the decorator does.
 * @param values - Its arguments. Without parentheses, it is called with the declaration instead.
 * @returns Undefined if it was called without parentheses on a member or a parameter.
 * @throws {ControllerError} 500 `STANDARD_DECORATOR`, here or when decorating, when it was compiled as a
 *   standard decorator.
 */
export function createDecorator<Metadata>(
  kind: DecoratorKind<Metadata>,
  values: readonly unknown[],
): unknown {
  const { name, target, takes } = kind;
  // By index: a start calls thousands of decorators, and iterators would take twice as long.
  const first = values[0];
  const second = values[1];
  if (typeof first === 'function') assertExperimental(name, second);
  if (isDeclaration(values)) {
    decorateBare(kind, placeOf(values[0], values[1], values[2]));
    return undefined;
  }
  const reading = kind.read(first, second, values.length);
  const { faults = [] } = values.length > takes ? withCount(kind, values, reading) : reading;
  const site = faults.length > 0 ? captureCallSite(createDecorator) : undefined;
  const decorator = (declared: object, key?: string | symbol, third?: unknown): void => {
    assertExperimental(name, key);
    const place = placeOf(declared, key, third);
    // The arguments of a misplaced decorator may be meant for another one.
    if (!target.accepts(place)) {
      record(place, misplacement(kind, place));
      return;
    }
    for (const fault of faults) record(place, fault, site);
    decorate(kind, reading, place);
  };
  const isAmbiguous = values.length === 1 && isClass(first) && !kind.acceptsClass?.(first);
  return isAmbiguous ? createStandIn(first, kind, decorator) : decorator;
}

/** What a decorator is called with: a class or prototype, a member's name, a descriptor or index. */
export type Declaration = readonly [
  target: object,
  key?: string | symbol | undefined,
  third?: unknown,
];

/** Whether the arguments of a decorator are a member or a parameter, because its parentheses are missing. */
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

/** Recognizes the descriptor of an existing property. Only compilers pass one to a decorator. */
function isDescriptor(value: unknown): value is PropertyDescriptor {
  return typeof value === 'object' && value !== null && 'configurable' in value;
}

function placeOf(target: object, key?: string | symbol, third?: unknown): Place {
  return {
    kind: kindOf(target, key, third),
    isStatic: typeof target === 'function' && key !== undefined,
    owner: typeof target === 'function' ? target : target.constructor,
    key,
    index: typeof third === 'number' ? third : 0,
  };
}

function kindOf(target: object, key: string | symbol | undefined, third: unknown): Place['kind'] {
  if (typeof third === 'number') return 'parameter';
  if (key === undefined) return 'class';
  const descriptor = isDescriptor(third) ? third : findDescriptor(target, key);
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) return 'accessor';
  return typeof descriptor?.value === 'function' ? 'method' : 'property';
}

/** Finds a member that may be inherited. Code that calls a decorator directly may omit the descriptor. */
function findDescriptor(target: object, key: string | symbol): PropertyDescriptor | undefined {
  let descriptor: PropertyDescriptor | undefined;
  for (let level: object | null = target; level !== null && descriptor === undefined; ) {
    descriptor = Object.getOwnPropertyDescriptor(level, key);
    level = Object.getPrototypeOf(level);
  }
  return descriptor;
}

/** Decorates as if there were parentheses without arguments, so that nothing else is reported. */
function decorateBare<Metadata>(kind: DecoratorKind<Metadata>, place: Place): void {
  const { name, target, example = `@${name}()` } = kind;
  if (!target.accepts(place)) {
    record(place, misplacement(kind, place));
    return;
  }
  if (!kind.isBare) {
    const problem = `@${name} is missing its parentheses.`;
    record(place, { code: 'MISSING_PARENTHESES', problem, fix: `write ${example}.` });
  }
  decorate(kind, kind.read(undefined, undefined, 0), place);
}

function decorate<Metadata>(
  { target }: DecoratorKind<Metadata>,
  { check, apply }: Reading<Metadata>,
  place: Place,
): void {
  const metadata = target.metadataOf(place);
  const fault = check?.(metadata, place);
  if (fault !== undefined) record(place, fault);
  apply?.(metadata, place);
}

/**
 * Creates the result of a decorator whose only argument is a class: either it decorates, or the
 * parentheses are missing and it replaces the class.
 */
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
  const problem = `@${name}() cannot decorate ${describePlace(place)}.`;
  return { code: 'DECORATOR_PLACE', problem, fix: placeFix(target, place) };
}

function placeFix<Metadata>({ accepts, fix }: Target<Metadata>, place: Place): string {
  if (accepts({ ...place, isStatic: false })) return 'remove the keyword static.';
  const isField = place.kind === 'property' || place.kind === 'accessor';
  if (!isField || !accepts({ ...place, kind: 'method' })) return fix;
  return `make it a method: ${String(place.key)}() { … }.`;
}

/** Adds a fault if there are more arguments than the decorator takes. */
function withCount<Metadata>(
  { name, takes }: DecoratorKind<Metadata>,
  values: readonly unknown[],
  reading: Reading<Metadata>,
): Reading<Metadata> {
  if (values.slice(takes).every((value) => value === undefined)) return reading;
  const limit = takes === 1 ? 'at most one argument' : `at most ${takes} arguments`;
  const fault =
    takes === 0
      ? { problem: `@${name}() takes no arguments.`, fix: 'remove them.' }
      : { problem: `@${name}() takes ${limit}.`, fix: 'remove the others.' };
  return { ...reading, faults: [...(reading.faults ?? []), fault] };
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

/** Records what is wrong with the use of a decorator on a declaration. */
export function recordFault(declaration: Declaration, fault: Fault): void {
  record(placeOf(...declaration), fault);
}

/**
 * Records what is wrong with the use of a decorator.
 *
 * @param site - Where the decorator was called. Default: where the class is declared.
 */
function record(
  { owner, key }: Place,
  { code, ...diagnostic }: Fault,
  site?: CallSite | undefined,
): void {
  const name = (typeof owner === 'function' && owner.name) || '(anonymous class)';
  const handler = key === undefined ? name : `${name}.${String(key)}`;
  const createError = (ofClass: string | undefined): ControllerError => {
    const location = (site && describeCallSite(site)) ?? ofClass;
    const error = new RouteRegistrationError(handler, diagnostic, location);
    return code === undefined ? error : new ControllerError(error.message, { code });
  };
  classMetadata(owner).problems.push(decoratorProblem(key, createError));
}

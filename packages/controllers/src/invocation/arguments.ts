import { type Context, isHttpError } from '@fairlead/core';
import { ParameterInjectionError, type ParameterPlace } from '../errors/parameter-errors.js';
import {
  describeParameter,
  type ParameterDefinition,
  type ParameterMetadata,
} from '../metadata/parameter.js';
import { catching, isPromiseLike } from '../promise.js';
import { absentParameter } from './absent-parameter.js';
import { createExtract, type Extract } from './extract.js';
import { createConversion } from './transform.js';

/** Reads the arguments of a method from a request; a promise only when one of them needs it. */
export type ReadArguments = (ctx: Context) => unknown[] | PromiseLike<unknown[]>;

/**
 * Makes the function that reads one argument: extract, check presence, convert.
 *
 * @param parameter - What its decorator states.
 * @param handler - The method, as `UsersController.create`.
 */
function createArgument(parameter: ParameterMetadata, handler: string): Extract {
  const place: ParameterPlace = {
    parameter: describeParameter(parameter.source, parameter.name),
    handler,
  };
  const fail = (error: unknown): never => {
    throw isHttpError(error) ? error : new ParameterInjectionError(place, error);
  };
  const { source, required, transform } = parameter;
  const conversion = transform && createConversion(transform, parameter, place);
  const present = conversion && catching(conversion.present, fail);
  const absent = conversion && catching(conversion.absent, fail);
  const supply = (ctx: Context, extracted: unknown): unknown => {
    const value = extracted === undefined ? parameter.default : extracted;
    if (value !== undefined) return present === undefined ? value : present(value);
    if (required) throw absentParameter(ctx, source, place);
    return absent === undefined ? value : absent(value);
  };
  const extract = createExtract(parameter);
  // What the framework reads neither throws nor has to be awaited.
  if (source !== 'custom') return (ctx) => supply(ctx, extract(ctx));
  const extractCustom = catching(extract, fail);
  return (ctx) => {
    const extracted = extractCustom(ctx);
    return isPromiseLike(extracted)
      ? extracted.then((settled) => supply(ctx, settled))
      : supply(ctx, extracted);
  };
}

/**
 * Makes the function that reads all arguments of a method, one after the other.
 *
 * @param parameters - In any order; a gap between their indexes is passed as undefined.
 * @param handler - The method, as `UsersController.create`.
 */
export function createReadArguments(
  parameters: readonly ParameterDefinition[],
  handler: string,
): ReadArguments {
  const readers: Extract[] = [];
  for (const parameter of parameters) readers[parameter.index] = createArgument(parameter, handler);
  const all = Array.from(readers, (read) => read ?? (() => undefined));
  // A list that grew as it was filled would take six times the memory.
  return (ctx) => readFrom(all, ctx, new Array(all.length), 0);
}

/** Reads what is left to read: from the start, or again after a promise has settled. */
function readFrom(
  readers: readonly Extract[],
  ctx: Context,
  values: unknown[],
  start: number,
): unknown[] | PromiseLike<unknown[]> {
  for (let index = start; index < values.length; index += 1) {
    const value = readers[index]?.(ctx);
    if (isPromiseLike(value)) {
      return value.then((settled) => {
        values[index] = settled;
        return readFrom(readers, ctx, values, index + 1);
      });
    }
    values[index] = value;
  }
  return values;
}

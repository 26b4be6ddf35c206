import type { Exchange, MatchedRoute, Params } from './exchange.js';

/** Decodes the value of a parameter: one segment in normal form. */
export function decodeParameter(text: string): string {
  return text.includes('%') ? decodeURIComponent(text) : text;
}

/** Decodes the value of a wildcard. Keeps `%2F`, so each slash of the result is a slash of the path. */
export function decodeWildcard(text: string): string {
  return decodeParameter(text.replaceAll('%2F', '%252F'));
}

const NO_PARAMS: Params = Object.freeze(Object.create(null));

export function paramsOf({ route, rawParams, prefixParams }: Exchange): Params {
  const params = route === undefined ? NO_PARAMS : decodeParams(route, rawParams);
  return prefixParams === undefined
    ? params
    : Object.assign(Object.create(null), prefixParams, params);
}

/**
 * Creates objects that inherit nothing, so that `__proto__` is an ordinary name. V8 keeps objects of
 * `Object.create(null)` as hash tables, and changing a prototype slows down what uses the object.
 */
const Values = (() => {
  function Values() {}
  Values.prototype = Object.freeze(Object.create(null));
  return Values as object as new () => Record<string, string>;
})();

/**
 * Decodes the parameters of a matched route.
 *
 * @param raw - Parameter values, still percent-encoded.
 * @returns An object that inherits nothing.
 */
export function decodeParams(
  { names, endsInWildcard }: Pick<MatchedRoute, 'names' | 'endsInWildcard'>,
  raw: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = new Values();
  const wildcard = endsInWildcard ? names.length - 1 : -1;
  for (let index = 0; index < names.length; index += 1) {
    const text = raw[index] ?? '';
    const isPlain = index !== wildcard && !text.includes('%');
    const decode = index === wildcard ? decodeWildcard : decodeParameter;
    params[names[index] ?? ''] = isPlain ? text : decode(text);
  }
  return params;
}

/** A route's pattern as a path of the document. */
export interface PathTemplate {
  /** The path, such as `/users/{id}`. */
  readonly template: string;
  /** The template without names. Paths of one shape are one path of the document. */
  readonly shape: string;
  /** The names in the template, in the order of the path. */
  readonly names: readonly string[];
  /** The name of the wildcard, which matches the rest of the path; undefined without one. */
  readonly wildcard: string | undefined;
}

/** Matches `:name`, and `*name` at the end. */
const PARAMETER = /:([\p{L}_][\p{L}\p{M}\p{N}_]*)|(?<=\/)\*([^/]*)$/gu;

/** Converts a pattern. A wildcard without a name is `wildcard`. */
export function parseTemplate(pattern: string): PathTemplate {
  const names: string[] = [];
  let wildcard: string | undefined;
  const template = pattern.replace(PARAMETER, (_, name?: string, rest?: string) => {
    if (name === undefined) wildcard = rest || 'wildcard';
    names.push(name ?? wildcard ?? '');
    return `{${names.at(-1)}}`;
  });
  return { template, shape: template.replace(/\{[^{}]*\}/g, '{}'), names, wildcard };
}

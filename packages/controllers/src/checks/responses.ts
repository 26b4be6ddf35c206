import { contentOf, responseSchemas } from '@fairlead/core/extend';
import { explainUndescribedStatus } from '@fairlead/options';
import type { ControllerDefinition, RouteDefinition } from '../definition/definition.js';
import { type Diagnostic, errorText } from '../errors.js';
import { checkTarget, placeholdersIn, REDIRECT_MEMBERS } from '../invocation/redirect.js';
import { distinctMethods } from './subjects.js';

/** Finds a status that the response schemas do not describe. A redirect sets the status itself. */
export function findStatuses({ status, options, redirect }: RouteDefinition): Diagnostic[] {
  if (redirect !== undefined) return [];
  const problem = explainUndescribedStatus(status, [...responseSchemas(options).keys()]);
  return problem === undefined ? [] : [problem];
}

/** Finds the first problem of a `@Redirect()`. */
export function findRedirects({ redirect }: RouteDefinition): readonly Diagnostic[] {
  if (redirect === undefined) return [];
  const problems = checkTarget(redirect);
  if (problems.length > 0) return problems;
  const reserved = placeholdersIn(redirect.url).find((name) => REDIRECT_MEMBERS.has(name));
  if (reserved === undefined) return [];
  const problem = `the URL of its redirect has the placeholder ':${reserved}', but '${reserved}' of the returned object overrides the redirect.`;
  return [{ problem, fix: 'rename the placeholder.' }];
}

/** Describes methods of which `@HttpCode()` and the options of their route name different statuses. */
export function describeTwoStatuses({
  levels,
  name,
  style,
  locate,
}: ControllerDefinition): readonly string[] {
  const methods = [...(levels.at(-1)?.methods ?? [])];
  return methods.flatMap(([key, { status, routes }]) => {
    const { options } = routes.find((route) => (route.options.status ?? status) !== status) ?? {};
    if (status === undefined || options?.status === undefined) return [];
    const decorator = style.spell(`@HttpCode(${status})`);
    const title = `the route ${name}.${String(key)} has the status ${options.status}, but ${decorator} sets another one.`;
    const fix = 'keep one of the two, or pass the controller to intended().';
    return errorText(title, fix, locate(key));
  });
}

/** Describes routes whose header says that their responses are no JSON, although their schema describes JSON. */
export function describeContentTypes({ routes, style }: ControllerDefinition): readonly string[] {
  return distinctMethods(routes).flatMap(({ headers, options, handler, locate }) => {
    const { value } = headers.findLast(({ name }) => /^content-type$/i.test(name)) ?? {};
    if (value === undefined || /[/+]json\b/i.test(value)) return [];
    const describesJson = [...responseSchemas(options)].some(
      ([status, schema]) => status < 300 && contentOf(schema) === undefined,
    );
    if (!describesJson) return [];
    const decorator = style.spell(`@SetHeader('Content-Type', '${value}')`);
    const title = `${handler} has ${decorator}, but its response describes JSON, so each value that it returns is a 500.`;
    const fix = `describe the response with content('${value}') and pass the text to ctx.send(), or remove the header. If it is right, pass the controller to intended().`;
    return errorText(title, fix, locate());
  });
}

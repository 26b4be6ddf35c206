import type { RouteDescription } from './describe-routes.js';

const COLUMNS: readonly (readonly [string, (route: RouteDescription) => string])[] = [
  ['METHOD', ({ method }) => method],
  ['PATH', ({ path }) => path],
  ['HANDLER', ({ handler }) => handler],
  ['GUARDS', ({ guards }) => guards.join(', ')],
  ['MIDDLEWARE', ({ middleware }) => middleware.join(', ')],
  ['INTERCEPTORS', ({ interceptors }) => interceptors.join(', ')],
];

/**
 * Writes routes as a table of plain text: a line with the names of the columns, then one line for
 * each route. A column that would be empty is left out.
 *
 * @param routes - What `describeRoutes` returned, or a part of it, in any order.
 * @returns Lines without spaces at their ends, and no line break at the end.
 */
export function formatRoutes(routes: readonly RouteDescription[]): string {
  const columns = COLUMNS.map(([title, read]) => [title, ...routes.map(read)])
    .filter(([, ...cells]) => cells.some((cell) => cell !== ''))
    .map(pad);
  const lines = ['', ...routes].map((_, row) => columns.map((cells) => cells[row]).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** Makes all cells of a column as wide as the widest. */
function pad(cells: readonly string[]): readonly string[] {
  const width = Math.max(...cells.map(({ length }) => length));
  return cells.map((cell) => cell.padEnd(width));
}

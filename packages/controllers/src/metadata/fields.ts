/** What may stand between two tokens. */
const GAP = String.raw`(?:\s|/\*(?:[^*]|\*(?!/))*\*/|//.*\n)*`;

/**
 * Whether a class has a field with the name of a method, or assigns one. No prototype has the fields of instances, but
 * the source of the class does. It may also assign something else with that name, such as `page.list = []`.
 */
export function mayHaveField(target: object, key: string | symbol): boolean {
  const source = Function.prototype.toString.call(target);
  // That of a proxy is unknown.
  if (source.includes('[native code]')) return true;
  // The source may refer to a symbol by any name, and write other characters as escapes.
  if (typeof key === 'symbol' || !/^[\w$]+$/.test(key)) return /this|=(?![=>])/.test(source);
  if (!source.includes(key)) return false;
  const name = key.replaceAll('$', String.raw`\$`);
  const isVariable = String.raw`(?:\b(?:const|let|var)|[,(])\s*`;
  const assigned = String.raw`(?<![\w$#]|${isVariable})${name}(?:["'\`]${GAP}\]?)?${GAP}[&|?]*=(?![=>])`;
  // Compilers define fields with a function: defineProperty(this, "list", …).
  const defined = String.raw`this${GAP},${GAP}["'\`]${name}["'\`]`;
  return new RegExp(`${assigned}|${defined}`).test(source);
}

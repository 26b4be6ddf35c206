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

/**
 * Whether it is certain that no instance of a class has a method: no prototype has it, and no code of the class or a
 * base class names it or can add methods without naming them.
 */
export function lacksMethod(target: object, method: string | symbol): boolean {
  if (typeof method === 'symbol' || hasMethod(Reflect.get(target, 'prototype'), method))
    return false;
  const name = new RegExp(`(?<![\\w$])${method.replaceAll(/\W/g, '\\$&')}(?![\\w$])`);
  return sourcesOf(target).every(
    (source) =>
      /^class\b/.test(source) &&
      !name.test(source) &&
      !ADDS_MEMBERS.test(source) &&
      !mayReturnObject(source),
  );
}

/** Whether a prototype has a method. Reading an accessor could fail, because the prototype lacks what instances have. */
export function hasMethod(prototype: unknown, method: string): boolean {
  const found = findProperty(prototype, method);
  return found?.get !== undefined || typeof found?.value === 'function';
}

/** Returns the method of a prototype; undefined if an accessor returns it. */
export function methodIn(prototype: unknown, method: string): unknown {
  return findProperty(prototype, method)?.value;
}

function findProperty(target: unknown, key: string): PropertyDescriptor | undefined {
  if (Object(target) !== target) return undefined;
  const own = Object.getOwnPropertyDescriptor(target, key);
  return own ?? findProperty(Object.getPrototypeOf(target), key);
}

/** Returns the sources of a class and its base classes. Only that of a class begins with `class`. */
function sourcesOf(target: unknown): readonly string[] {
  if (typeof target !== 'function' || target === Function.prototype) return [];
  return [Function.prototype.toString.call(target), ...sourcesOf(Object.getPrototypeOf(target))];
}

/** Matches what may add members to an object or a prototype under a name that the source does not contain. */
const ADDS_MEMBERS = new RegExp(
  String.raw`\bthis\b(?!\s*\.)|\]${GAP}=(?![=>])|\bnew\s*\.\s*target\b|[^\s{};]\s*\bsuper\s*\(|\b(?:eval|prototype|__proto__|valueOf)\b|\\[ux]`,
);

/** Matches comments, texts, words and characters. */
const TOKENS = /\/\/.*|\/\*[\s\S]*?\*\/|'(?:[^'\\]|\\[\s\S])*'|"(?:[^"\\]|\\[\s\S])*"|[\w$]+|\S/g;

/** Whether a constructor may return another object than the instance. */
function mayReturnObject(source: string): boolean {
  return [...source.matchAll(/\bconstructor\b["']?/g)].some(({ 0: { length }, index }) => {
    let depth = 0;
    for (const [token] of source.slice(index + length).matchAll(TOKENS)) {
      // The end of a template or a regular expression depends on what it contains.
      if (token === 'return' || token === '`' || token === '/') return true;
      if ('([{'.includes(token)) depth += 1;
      if (')]}'.includes(token)) depth -= 1;
      if (token === '}' && depth === 0) return false;
    }
    return false;
  });
}

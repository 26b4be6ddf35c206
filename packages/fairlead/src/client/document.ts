import { escapeLine, pointerKeys } from '@fairlead/options';
import { isNode, type Node, nodeOf } from './node.js';
import { referenceTo } from './reference.js';

/** A document that cannot become types. The message explains how to fix it. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError';
}

/** How deep a document may nest arrays and objects. A schema takes two levels for each object around it. */
const MAX_DEPTH = 200;

/** How many schemas may lead from one to the next, by references and `allOf`. */
const MAX_CHAIN = 1_000;

/** An OpenAPI document, whose references can be followed. */
export class Document {
  /** What is being read, such as `GET /users`, for messages. */
  place = 'the document';
  /** The number of its arrays and objects. */
  readonly size: number;
  readonly #resolved = new WeakMap<Node, Node>();
  #chain = 0;
  /** By reference. */
  readonly #problems = new Map<string, string>();

  /**
   * @param root - The parsed document.
   * @param origin - Its URL or path, for messages.
   * @throws {DocumentError} When it is not an OpenAPI document of a version from 3.0 to 3.2, or nests too deep.
   */
  constructor(
    readonly root: Node,
    readonly origin: string,
  ) {
    const { openapi, swagger } = root;
    this.size = this.#measure();
    if (typeof openapi === 'string' && /^3\.[0-2]\b/.test(openapi)) return;
    if (swagger !== undefined) {
      throw new DocumentError(
        `Cannot use ${origin}: it is a document of Swagger ${escapeLine(String(swagger))}. Convert it to OpenAPI 3: npx swagger2openapi <file> --outfile openapi.json`,
      );
    }
    throw new DocumentError(
      openapi === undefined
        ? `Cannot use ${origin}: it is not an OpenAPI document, because it has no member 'openapi'. Pass the URL or the path of a document such as openapi.json.`
        : `Cannot use ${origin}: its version of OpenAPI is ${JSON.stringify(openapi)}. Use 3.0, 3.1 or 3.2.`,
    );
  }

  /** Returns what an object refers to, or the object itself; an empty object if the reference leads nowhere. */
  resolve(value: unknown): Node {
    const seen = new Set<Node>();
    let node = value;
    while (isNode(node) && typeof node.$ref === 'string') {
      const known = this.#resolved.get(node);
      if (known !== undefined || seen.has(node)) {
        node = known ?? {};
        break;
      }
      seen.add(node);
      node = this.find(node.$ref);
    }
    const resolved = nodeOf(node);
    for (const one of seen) this.#resolved.set(one, resolved);
    return resolved;
  }

  /**
   * Reads a schema that another one refers to or contains.
   *
   * @throws {DocumentError} When too many schemas lead from one to the next.
   */
  follow<Result>(read: () => Result): Result {
    this.#chain += 1;
    if (this.#chain > MAX_CHAIN) {
      throw new DocumentError(
        escapeLine(
          `Cannot use ${this.origin}: ${this.place} leads through more than ${MAX_CHAIN} schemas, each within the one before. Shorten the chain of references.`,
        ),
      );
    }
    const result = read();
    this.#chain -= 1;
    return result;
  }

  /** Counts arrays and objects without recursion, which could overflow the stack. */
  #measure(): number {
    interface Place {
      readonly value: object;
      readonly keys: readonly string[];
      readonly depth: number;
    }
    const pending: Place[] = [{ value: this.root, keys: [], depth: 1 }];
    let size = 0;
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { value, keys, depth } = next;
      size += 1;
      if (depth > MAX_DEPTH) {
        throw new DocumentError(
          escapeLine(
            `Cannot use ${this.origin}: it nests more than ${MAX_DEPTH} levels deep, below ${referenceTo(keys)}. Move the inner schemas to components/schemas, and refer to them with $ref.`,
          ),
        );
      }
      for (const [key, member] of Object.entries(value)) {
        if (typeof member !== 'object' || member === null) continue;
        const below = keys.length < SHOWN_KEYS ? [...keys, key] : keys;
        pending.push({ value: member, keys: below, depth: depth + 1 });
      }
    }
    return size;
  }

  /** Returns the target of a reference. */
  find(reference: string): unknown {
    if (!reference.startsWith('#')) {
      this.#report(
        reference,
        'which is outside the document. Join all files first: npx @redocly/cli bundle <file> --output openapi.json',
      );
      return undefined;
    }
    let target: unknown = this.root;
    for (const key of pointerKeys(reference)) {
      const isMember = typeof target === 'object' && target !== null && Object.hasOwn(target, key);
      target = isMember ? Reflect.get(Object(target), key) : undefined;
    }
    if (target === undefined) {
      this.#report(reference, 'which the document does not contain. Correct the reference.');
    }
    return target;
  }

  #report(reference: string, reason: string): void {
    if (this.#problems.has(reference)) return;
    this.#problems.set(reference, escapeLine(`${this.place} refers to '${reference}', ${reason}`));
  }

  /** @throws {DocumentError} When references lead nowhere. */
  throwProblems(): void {
    const [problem, ...others] = this.#problems.values();
    if (problem === undefined) return;
    const lines = [...this.#problems.values()].map((one) => `\n  - ${one}`);
    throw new DocumentError(
      others.length === 0
        ? `Cannot use ${this.origin}: ${problem}`
        : `Cannot use ${this.origin}, which has ${lines.length} problems:${lines.join('')}`,
    );
  }
}

/** How many keys of a place a message shows. */
const SHOWN_KEYS = 4;

import type { Binding } from './binding.js';
import { InvalidProviderError, type Mistake } from './errors/injection-errors.js';
import { Cell, Pending, type ScopeCells } from './instance.js';
import { Lifetime, leaveToApplication } from './lifetime.js';
import type { ValueProvider } from './provider.js';
import { resolveEither, resolveLater, resolveNow, settle } from './resolution/plan.js';
import type { Token } from './token.js';

/** The interface of a request scope of any container. */
export interface ScopeInterface extends AsyncDisposable, Disposable {
  /** Returns the instance for a token. A request-scoped token has one instance per scope. */
  resolve<T>(token: Token<T>): T;
  /** Resolves like `resolve`, and waits for asynchronous factories. */
  resolveAsync<T>(token: Token<T>): Promise<T>;
  /** Registers a value for a request-scoped token. It replaces the token's provider in this scope. */
  register<T>(token: Token<T>, provider: ValueProvider<NoInfer<T>>): unknown;
}

/** Resolves the instances of one request, and disposes them at its end. */
export interface RequestScope extends ScopeInterface {
  /**
   * Registers a value for a request-scoped token. It replaces the token's provider in this scope.
   *
   * @returns This scope.
   */
  register<T>(token: Token<T>, provider: ValueProvider<NoInfer<T>>): this;
}

/** Where `@fairlead/controllers` finds the method that builds an instance once, whether or not it has to wait for it. */
const OBTAIN = Symbol.for('fairlead:obtain');

/** The request scope of a container. Keeps the instances of one request. */
export class ContainerScope implements RequestScope, ScopeCells {
  readonly lifetime = new Lifetime();
  readonly #cells = new Map<object, Cell>();
  readonly #find: (token: Token) => Binding;

  /** @param find - Returns the container's binding of a token. Throws when it has none. */
  constructor(find: (token: Token) => Binding) {
    this.#find = find;
  }

  resolve<T>(token: Token<T>): T {
    const binding = this.#open(token);
    return (binding.cell.ready ? binding.cell.value : resolveNow(binding, this)) as T;
  }

  async resolveAsync<T>(token: Token<T>): Promise<T> {
    const instance = await resolveLater(this.#open(token), this);
    this.lifetime.assertOpen(token);
    return instance as T;
  }

  /** Returns the instance for a token, or a promise for it if it depends on an asynchronous factory. */
  [OBTAIN](token: Token): unknown {
    const binding = this.#open(token);
    if (binding.cell.ready) return binding.cell.value;
    const made = resolveEither(binding, this);
    return made instanceof Pending ? this.#settle(token, made) : made;
  }

  /**
   * @throws {InvalidProviderError} When the token is not request-scoped, or the provider is not
   *   `{ useValue }`. An instance shared between requests must not hold the value of one request.
   */
  register<T>(token: Token<T>, provider: ValueProvider<NoInfer<T>>): this {
    const binding = this.#open(token);
    const isValue = typeof provider === 'object' && provider !== null && 'useValue' in provider;
    if (binding.scope !== 'request' || !isValue) {
      throw new InvalidProviderError(token, [describeMistake(binding)]);
    }
    const cell = new Cell();
    cell.fill(provider.useValue);
    leaveToApplication(provider.useValue);
    this.#cells.set(binding, cell);
    return this;
  }

  cellOf(binding: object): Cell {
    let cell = this.#cells.get(binding);
    if (cell === undefined) {
      cell = new Cell();
      this.#cells.set(binding, cell);
    }
    return cell;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.lifetime.dispose();
  }

  [Symbol.dispose](): void {
    this.lifetime.disposeSync();
  }

  async #settle(token: Token, pending: Pending): Promise<unknown> {
    const instance = await settle(pending);
    this.lifetime.assertOpen(token);
    return instance;
  }

  #open(token: Token): Binding {
    this.lifetime.assertOpen(token);
    return this.#find(token);
  }
}

function describeMistake({ scope }: Binding): Mistake {
  const problem = 'a request scope accepts only { useValue } for a request-scoped token.';
  return scope === 'request'
    ? { problem, fix: 'pass { useValue }.' }
    : {
        problem: `${problem} The scope of this one is '${scope}'.`,
        fix: "register it in the container with the scope 'request', or with { useValue } there.",
      };
}

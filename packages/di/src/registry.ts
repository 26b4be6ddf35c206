import type { CallSite } from '@fairlead/options';
import { Binding, type Override, type Owner, type Tree } from './binding.js';
import { markCopy } from './copies.js';
import { InvalidProviderError } from './errors/injection-errors.js';
import { Lifetime } from './lifetime.js';
import { isService, serviceOptions } from './metadata.js';
import { describeEagerScope, type Provider, type RegisterOptions } from './provider.js';
import { Cell } from './resolution/instance.js';
import type { Token } from './token.js';
import { WeakList } from './weak-list.js';

/** The providers and singletons of a container at one point in time, from `snapshot()`. */
export class Snapshot {
  readonly #owner: object;
  readonly #apply: () => void;

  constructor(owner: object, apply: () => void) {
    this.#owner = owner;
    this.#apply = apply;
  }

  /** Whether a container took the snapshot. */
  isOf(owner: object): boolean {
    return this.#owner === owner;
  }

  /** Restores them. */
  apply(): void {
    this.#apply();
  }
}

markCopy(Snapshot);

/** The providers of one container. */
export class Registry implements Owner {
  readonly lifetime = new Lifetime();
  readonly tree: Tree;
  readonly #parent: Registry | undefined;
  #registered = new Map<Token, readonly Binding[]>();
  /** Bindings of unregistered classes with `@Service` or `static inject`. */
  #implicit = new Map<Token, readonly Binding[]>();

  constructor(parent?: Registry) {
    this.#parent = parent;
    this.tree = parent?.tree ?? { epoch: 0, overrides: new Map(), pending: new Map() };
    registries.add(this);
  }

  /** Adds a provider, which `checkProvider` must have accepted. */
  add(token: Token, provider: Provider, options: RegisterOptions, site?: CallSite): void {
    this.lifetime.assertOpen(token);
    const binding = createBinding(token, provider, options, this, site);
    const known = this.#registered.get(token) ?? [];
    binding.replaces = !options.multi && known.length > 0;
    const earlier = options.multi ? known : [];
    this.#registered.set(token, [...earlier, binding]);
    const override = this.tree.overrides.get(token);
    if (override !== undefined) override.used = true;
    this.tree.epoch++;
  }

  /** Adds a provider that replaces those of `add`, even later ones. With `multi`, it follows them. */
  override(token: Token, provider: Provider, options: RegisterOptions, site?: CallSite): void {
    this.lifetime.assertOpen(token);
    const binding = createBinding(token, provider, options, this, site);
    const { multi = false } = options;
    const earlier = multi ? this.tree.overrides.get(token) : undefined;
    const override: Override = {
      bindings: [...(earlier?.bindings ?? []), binding],
      adds: earlier?.adds ?? multi,
      used: earlier?.used ?? this.registeredTokens().includes(token),
    };
    this.tree.overrides = new Map(this.tree.overrides).set(token, override);
    this.tree.epoch++;
  }

  find(token: Token): readonly Binding[] {
    const override = this.tree.overrides.get(token);
    if (override === undefined) return this.#findProvided(token);
    override.used = true;
    return override.adds ? [...this.#findProvided(token), ...override.bindings] : override.bindings;
  }

  /** Lists the tokens registered in this container, in registration order. */
  tokens(): Token[] {
    return [...this.#registered.keys()];
  }

  /** Lists the tokens registered in this container and its parents. */
  registeredTokens(): Token[] {
    return [...this.#registered.keys(), ...(this.#parent?.registeredTokens() ?? [])];
  }

  /** Lists the unregistered classes that were looked up. */
  implicitTokens(): Token[] {
    return [...this.#implicit.keys(), ...(this.#parent?.implicitTokens() ?? [])];
  }

  /** Whether a container is a parent of this one, or a parent's parent. */
  descendsFrom(owner: Owner): boolean {
    const parent = this.#parent;
    return parent !== undefined && (parent === owner || parent.descendsFrom(owner));
  }

  assertOpen(token: Token): void {
    this.lifetime.assertOpen(token);
    this.#parent?.assertOpen(token);
  }

  snapshot(): Snapshot {
    const registered = new Map(this.#registered);
    const implicit = new Map(this.#implicit);
    const { overrides } = this.tree;
    const overriding = [...overrides.values()].map((override) => override.bindings);
    const bindings = [...registered.values(), ...implicit.values(), ...overriding].flat();
    const cells = bindings.map((binding) => ({
      binding,
      cell: binding.cell.empty ? undefined : binding.cell,
    }));
    return new Snapshot(this, () => {
      this.#registered = new Map(registered);
      this.#implicit = new Map(implicit);
      this.tree.overrides = overrides;
      for (const { binding, cell } of cells) binding.cell = cell ?? new Cell();
      this.tree.epoch++;
    });
  }

  #findProvided(token: Token): readonly Binding[] {
    const found = this.#registered.get(token);
    if (found !== undefined) return found;
    return this.#parent === undefined
      ? this.#findImplicit(token)
      : this.#parent.#findProvided(token);
  }

  #findImplicit(token: Token): readonly Binding[] {
    if (typeof token !== 'function') return [];
    const found = this.#implicit.get(token);
    if (found !== undefined) return found;
    if (!isService(token)) return [];
    const provider = { useClass: token } as Provider;
    const bindings = [createBinding(token, provider, {}, this)];
    this.#implicit.set(token, bindings);
    return bindings;
  }
}

/** All containers, for error messages. */
const registries = new WeakList<Registry>();

/** Shared by the default container of the process and its children. */
let defaultTree: Tree | undefined;

/** Makes a container the default one of the process. */
export function setDefault({ tree }: Owner): void {
  defaultTree = tree;
}

/**
 * Finds a container that registers a token which the asked one does not provide: a relative of it, the
 * default container, or any other if the asked one is the default container.
 *
 * @returns `a child container` or `another container`; or undefined.
 */
export function describeOther(asked: Owner, token: Token): string | undefined {
  const other = registries.list().find((each) => {
    const trees: readonly unknown[] = [each.tree, asked.tree];
    const isKnown = each.tree === asked.tree || trees.includes(defaultTree);
    return isKnown && !each.lifetime.disposed && each.tokens().includes(token);
  });
  return other && (other.descendsFrom(asked) ? 'a child container' : 'another container');
}

function createBinding(
  token: Token,
  provider: Provider,
  options: RegisterOptions,
  owner: Owner,
  site?: CallSite,
): Binding {
  const service = 'useClass' in provider ? serviceOptions(provider.useClass) : {};
  const defaultScope = 'useExisting' in provider ? 'transient' : 'singleton';
  const scope = options.scope ?? service.scope ?? defaultScope;
  const eager = options.eager ?? service.eager ?? false;
  if (eager && scope !== 'singleton') {
    throw new InvalidProviderError(token, [describeEagerScope(scope)]);
  }
  return new Binding(token, provider, scope, owner, eager, site);
}

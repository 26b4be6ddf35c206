import type { CallSite } from '@fairlead/options';
import { Binding, type Override, type Owner, type Tree } from './binding.js';
import { markCopy } from './copies.js';
import { InvalidProviderError } from './errors/injection-errors.js';
import { Cell } from './instance.js';
import { Lifetime } from './lifetime.js';
import { isService, serviceOptions } from './metadata.js';
import { parametersOf } from './parameters.js';
import { describeEagerScope, KINDS, type Provider, type RegisterOptions } from './provider.js';
import type { Constructor, Token } from './token.js';
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
  /** Bindings of unknown classes with `@Service` or `static inject`. Only the topmost container has any. */
  #implicit = new Map<Token, readonly Binding[]>();
  /** What this container builds from its own providers, by the binding of the parent. */
  #own = new Map<Binding, Binding>();
  /** Whether a binding of a parent leads to a provider of this container, in the epoch. */
  #leads = new Map<Binding, boolean>();
  #epoch = -1;
  #hasSnapshot = false;

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
    binding.replaces = this.replaces(token, options);
    const isOther = (other: Binding) => !other.implicit && !isSame(other.provider, provider);
    binding.overwrites = binding.replaces && !this.#hasSnapshot && known.some(isOther);
    const earlier = options.multi ? known : [];
    this.#registered.set(token, [...earlier, binding]);
    const override = this.tree.overrides.get(token);
    if (override !== undefined) override.used = true;
    this.tree.epoch++;
  }

  /** Adds a class as its own provider, unless `add` or `override` of this container or a parent has one for it. */
  addDefault(target: Constructor): void {
    const isProvider = ({ implicit, owner }: Binding) => !implicit || owner === this;
    if (this.tree.overrides.has(target) || this.#findProvided(target).some(isProvider)) return;
    this.lifetime.assertOpen(target);
    const binding = createBinding(target, { useClass: target }, {}, this);
    binding.implicit = true;
    this.#registered.set(target, [binding]);
    this.tree.epoch++;
  }

  /** Whether `add` would replace a provider. */
  replaces(token: Token, { multi = false }: RegisterOptions): boolean {
    return !multi && this.#registered.has(token);
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
    if (override !== undefined) override.used = true;
    const found = this.#findShared(token);
    return this.#parent === undefined ? found : found.map((binding) => this.#adopt(binding));
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
    this.#hasSnapshot = true;
    const registered = new Map(this.#registered);
    const implicit = new Map(this.#implicit);
    const own = new Map(this.#own);
    const { overrides } = this.tree;
    const overriding = [...overrides.values()].map((override) => override.bindings);
    const lists = [registered.values(), implicit.values(), own.values(), overriding];
    const bindings = lists.flatMap((list) => [...list].flat());
    const cells = bindings.map((binding) => ({
      binding,
      cell: binding.cell.empty ? undefined : binding.cell,
    }));
    return new Snapshot(this, () => {
      this.#registered = new Map(registered);
      this.#implicit = new Map(implicit);
      this.#own = new Map(own);
      this.tree.overrides = overrides;
      for (const { binding, cell } of cells) binding.cell = cell ?? new Cell();
      this.tree.epoch++;
    });
  }

  /** Finds the bindings of a token as the containers have them that provide it. */
  #findShared(token: Token): readonly Binding[] {
    const override = this.tree.overrides.get(token);
    if (override === undefined) return this.#findProvided(token);
    return override.adds ? [...this.#findProvided(token), ...override.bindings] : override.bindings;
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
    const binding = createBinding(token, provider, {}, this);
    binding.implicit = true;
    this.#implicit.set(token, [binding]);
    return [binding];
  }

  /** Returns the binding to use in this container for one of a parent: one for the nearest container that it leads to. */
  #adopt(binding: Binding): Binding {
    const { token, provider, scope, eager, site } = binding;
    if (this.#parent === undefined || !isAdoptable(binding)) return binding;
    if (!this.descendsFrom(binding.owner)) return binding;
    if (!this.#leadsHere(binding)) return this.#parent.#adopt(binding);
    const own = this.#own.get(binding) ?? new Binding(token, provider, scope, this, eager, site);
    this.#own.set(binding, own);
    return own;
  }

  /** Whether a binding of a parent depends on what this container provides, directly or not. */
  #leadsHere(binding: Binding): boolean {
    if (this.#epoch !== this.tree.epoch) {
      this.#leads.clear();
      this.#epoch = this.tree.epoch;
    }
    const known = this.#leads.get(binding);
    if (known !== undefined) return known;
    const seen = new Set([binding]);
    let isCertain = true;
    // Iterating over a set also visits the elements added meanwhile.
    for (const { provider } of seen) {
      for (const parameter of parametersOf(provider)) {
        // A decorator that runs later can solve a problem without a registration.
        if (typeof parameter === 'function') isCertain = false;
        else {
          const token = parameter.token();
          if (token === undefined || this.#provides(token)) {
            if (token !== undefined) this.#leads.set(binding, true);
            return true;
          }
          for (const target of this.#findShared(token)) if (isAdoptable(target)) seen.add(target);
        }
      }
    }
    if (isCertain) for (const each of seen) this.#leads.set(each, false);
    return false;
  }

  /** Whether this container has a provider of a token, which no override replaces. */
  #provides(token: Token): boolean {
    return this.#registered.has(token) && this.tree.overrides.get(token)?.adds !== false;
  }
}

function isSame(one: Provider, other: Provider): boolean {
  return KINDS.every((kind) => Reflect.get(one, kind) === Reflect.get(other, kind));
}

/** Whether a child may build a binding of its parent. The parent builds the singletons that it registers. */
function isAdoptable({ implicit, scope }: Binding): boolean {
  return implicit || scope !== 'singleton';
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
  const isOfCall = options.scope !== undefined || options.eager !== undefined;
  // What a class contradicts itself is reported with the path to it.
  if (eager && scope !== 'singleton' && isOfCall) {
    throw new InvalidProviderError(token, [describeEagerScope(scope)]);
  }
  return new Binding(token, provider, scope, owner, eager, site);
}

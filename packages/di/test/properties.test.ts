import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CyclicDependencyError, createContainer, type Token } from '../src/index.js';

/** Each node depends only on lower nodes, so there is no cycle. */
const acyclic = fc
  .integer({ min: 1, max: 25 })
  .chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, node) =>
        fc.uniqueArray(fc.nat({ max: Math.max(node - 1, 0) }), { maxLength: Math.min(node, 5) }),
      ),
    ),
  );

const name = (node: number) => `node ${node}`;

/** Registers a graph of factories. Each one records its node in `built` when called. */
function containerOf(graph: readonly (readonly number[])[], isAsync = false) {
  const built: number[] = [];
  const container = createContainer();
  graph.forEach((needs, node) => {
    const make = (...instances: readonly { node: number }[]) => {
      built.push(node);
      return { node, needs: instances.map((instance) => instance.node) };
    };
    container.register(name(node), {
      useFactory: isAsync ? async (...instances: never[]) => make(...instances) : make,
      inject: needs.map(name),
    });
  });
  return { container, built };
}

it('builds each singleton of an acyclic graph once, after its dependencies', () => {
  fc.assert(
    fc.property(acyclic, (graph) => {
      const { container, built } = containerOf(graph);
      const instances = graph.map((_, node) => container.resolve(name(node)));

      expect(instances).toEqual(graph.map((needs, node) => ({ node, needs })));
      expect([...built].sort((a, b) => a - b)).toEqual(graph.map((_, node) => node));
      graph.forEach((needs, node) => {
        for (const needed of needs) {
          expect(built.indexOf(needed)).toBeLessThan(built.indexOf(node));
        }
      });
      expect(container.validate()).toEqual([]);
    }),
  );
});

it('builds each asynchronous singleton once for concurrent callers', async () => {
  await fc.assert(
    fc.asyncProperty(acyclic, async (graph) => {
      const { container, built } = containerOf(graph, true);
      const tokens = graph.map((_, node) => name(node)).reverse();
      await Promise.all([...tokens, ...tokens].map((token) => container.resolveAsync(token)));

      expect([...built].sort((a, b) => a - b)).toEqual(graph.map((_, node) => node));
    }),
  );
});

it('disposes the singletons of an acyclic graph in reverse order of creation', async () => {
  await fc.assert(
    fc.asyncProperty(acyclic, async (graph) => {
      const created: number[] = [];
      const disposed: number[] = [];
      const container = createContainer();
      graph.forEach((needs, node) => {
        const useFactory = (..._needs: never[]) => {
          created.push(node);
          return { [Symbol.dispose]: () => disposed.push(node) };
        };
        container.register(name(node), { useFactory, inject: needs.map(name) });
      });
      for (const node of [...graph.keys()].reverse()) container.resolve(name(node));
      await container.dispose();

      expect(disposed).toEqual([...created].reverse());
    }),
  );
});

it('reports the path of a cycle anywhere in a graph', () => {
  const withCycle = fc.tuple(acyclic, fc.integer({ min: 1, max: 8 }), fc.nat());
  fc.assert(
    fc.property(withCycle, ([graph, length, seed]) => {
      // A ring of new nodes, which a random node of the acyclic graph depends on.
      const ring = Array.from({ length }, (_, index) => graph.length + index);
      const edges = [
        ...graph,
        ...ring.map((_, index) => [graph.length + ((index + 1) % length)]),
      ].map((needs, node) => (node === seed % graph.length ? [...needs, graph.length] : needs));
      const { container, built } = containerOf(edges);
      const expected: Token[] = [...ring, graph.length].map(name);

      const cycles = container.validate([name(seed % graph.length)]);
      expect(cycles.map((cycle) => cycle.path)).toEqual([expected]);
      expect(() => container.resolve(name(seed % graph.length))).toThrow(CyclicDependencyError);
      expect(built).toEqual([]);
    }),
  );
});

/** Returns the nodes that remain after repeatedly removing nodes without dependencies. */
function nodesLeadingToCycles(graph: readonly (readonly number[])[]): Set<number> {
  const left = new Set(graph.keys());
  for (const _ of graph) {
    const free = [...left].filter((node) => !graph[node]?.some((needed) => left.has(needed)));
    for (const node of free) left.delete(node);
  }
  return left;
}

it('reports each cycle of any graph once with its path, and none in an acyclic graph', () => {
  const anyGraph = fc.integer({ min: 1, max: 6 }).chain((size) =>
    fc.array(fc.uniqueArray(fc.nat({ max: size - 1 }), { maxLength: 3 }), {
      minLength: size,
      maxLength: size,
    }),
  );
  fc.assert(
    fc.property(anyGraph, (graph) => {
      const cycles = containerOf(graph)
        .container.validate()
        .map((problem) => problem.path.map((token) => Number(String(token).slice('node '.length))));

      for (const cycle of cycles) {
        expect(cycle[0]).toBe(cycle.at(-1));
        expect(new Set(cycle).size).toBe(cycle.length - 1);
        cycle.slice(1).forEach((needed, step) => {
          expect(graph[cycle[step] ?? -1]).toContain(needed);
        });
      }
      expect(new Set(cycles.map(String)).size).toBe(cycles.length);
      expect(cycles.length > 0).toBe(nodesLeadingToCycles(graph).size > 0);
    }),
  );
});

it('never mixes the instances of 1,000 concurrent request scopes', async () => {
  const container = createContainer()
    .register('id', { useFactory: () => 'none' }, { scope: 'request' })
    .register(
      'user',
      { useFactory: async (id: string) => ({ id }), inject: ['id'] },
      { scope: 'request' },
    )
    .register(
      'handler',
      { useFactory: (id: string, user: { id: string }) => ({ id, user }), inject: ['id', 'user'] },
      { scope: 'transient' },
    );
  const ids = Array.from({ length: 1000 }, (_, index) => `request ${index}`);
  const scopes = ids.map((id) => {
    const scope = container.createScope();
    scope.register('id', { useValue: id });
    return scope;
  });
  const handlers = await Promise.all(scopes.map((scope) => scope.resolveAsync('handler')));
  const users = await Promise.all(scopes.map((scope) => scope.resolveAsync('user')));

  expect(handlers).toEqual(ids.map((id) => ({ id, user: { id } })));
  expect(new Set(users).size).toBe(1000);
});

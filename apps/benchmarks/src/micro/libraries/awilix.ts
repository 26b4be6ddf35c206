import { asClass, createContainer } from 'awilix';

/** Creates a class that reads its dependency from the container's cradle, awilix's default. */
function createClass(dependency = '') {
  if (dependency === '') return class {};
  return class {
    readonly dependency: unknown;

    constructor(cradle: Readonly<Record<string, unknown>>) {
      this.dependency = cradle[dependency];
    }
  };
}

function createChain(lifetime: 'singleton' | 'transient') {
  const container = createContainer();
  for (const [name, dependency] of [['first'], ['second', 'first'], ['third', 'second']]) {
    container.register(`${name}`, asClass(createClass(dependency))[lifetime]());
  }
  return container;
}

export const operations = {
  'resolve-singleton': () => {
    const container = createChain('singleton');
    return () => container.resolve('third');
  },
  'resolve-transient': () => {
    const container = createChain('transient');
    return () => container.resolve('third');
  },
  build: () => {
    const classes = [...Array(1_000).keys()].map((index) => {
      const dependency = index === 0 ? undefined : `class${Math.floor((index - 1) / 2)}`;
      return [`class${index}`, createClass(dependency)] as const;
    });
    return () => {
      const container = createContainer();
      for (const [name, each] of classes) container.register(name, asClass(each).singleton());
      for (const [name] of classes) container.resolve(name);
      return container.resolve('class999');
    };
  },
};

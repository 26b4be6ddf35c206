import { createContainer, Service } from '@fairlead/di';
import { createChain, createTree } from '../classes.js';

export const operations = {
  'resolve-singleton': () => {
    const [, , last] = createChain(Service());
    const container = createContainer().register(last);
    return () => container.resolve(last);
  },
  'resolve-transient': () => {
    const chain = createChain(Service({ scope: 'transient' }));
    const [, , last] = chain;
    const container = createContainer();
    for (const each of chain) container.register(each);
    return () => container.resolve(last);
  },
  build: () => {
    const classes = createTree(Service());
    return () => {
      const container = createContainer();
      for (const each of classes) container.register(each);
      for (const each of classes) container.resolve(each);
      return container.resolve(classes[999] ?? Object);
    };
  },
};

import 'reflect-metadata';
import { Container, Service } from 'typedi';
import { type Class, createChain, createTree } from '../classes.js';

const decorate = (target: Class) => Service()(target);

export const operations = {
  'resolve-singleton': () => {
    const [, , last] = createChain(decorate);
    return () => Container.get(last);
  },
  'resolve-transient': () => {
    const [, , last] = createChain((target) => Service({ transient: true })(target));
    return () => Container.get(last);
  },
  build: () => {
    const classes = createTree(decorate);
    return () => {
      const container = Container.of('build');
      for (const each of classes) container.set({ id: each, type: each });
      for (const each of classes) container.get(each);
      const last = container.get(classes[999] ?? Object);
      container.reset();
      return last;
    };
  },
};

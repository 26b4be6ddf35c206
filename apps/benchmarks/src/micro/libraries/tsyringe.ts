import 'reflect-metadata';
import { injectable, container as root } from 'tsyringe';
import { createChain, createTree } from '../classes.js';

export const operations = {
  'resolve-singleton': () => {
    const [, , last] = createChain(injectable());
    const container = root.createChildContainer().registerSingleton(last);
    return () => container.resolve(last);
  },
  'resolve-transient': () => {
    const [, , last] = createChain(injectable());
    const container = root.createChildContainer();
    return () => container.resolve(last);
  },
  build: () => {
    const classes = createTree(injectable());
    return () => {
      const container = root.createChildContainer();
      for (const each of classes) container.registerSingleton(each);
      for (const each of classes) container.resolve(each);
      return container.resolve(classes[999] ?? Object);
    };
  },
};

import 'reflect-metadata';
import { Container, injectable } from 'inversify';
import { createChain, createTree } from '../classes.js';

export const operations = {
  'resolve-singleton': () => {
    const chain = createChain(injectable());
    const [, , last] = chain;
    const container = new Container();
    for (const each of chain) container.bind(each).toSelf().inSingletonScope();
    return () => container.get(last);
  },
  'resolve-transient': () => {
    const chain = createChain(injectable());
    const [, , last] = chain;
    const container = new Container();
    for (const each of chain) container.bind(each).toSelf().inTransientScope();
    return () => container.get(last);
  },
  build: () => {
    const classes = createTree(injectable());
    return () => {
      const container = new Container();
      for (const each of classes) container.bind(each).toSelf().inSingletonScope();
      for (const each of classes) container.get(each);
      return container.get(classes[999] ?? Object);
    };
  },
};

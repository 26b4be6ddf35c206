import { type Application, createApp, createRouter, intended } from '@fairlead/core';
import { warningsOf } from '@fairlead/test-support/start-warnings';
import { describe, expect, it } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';

const folder = provideFolder();

describe('a route for files without a wildcard', () => {
  it.each<[string, string, string, () => Application]>([
    ['/files', '/files', '/files/*path', () => createApp().get('/files', serveStatic(folder.root))],
    ['/', '/', '/*path', () => createApp().get('/', serveStatic(folder.root))],
    [
      '/files/:name',
      '/files',
      '/files/*path',
      () => createApp().get('/files/:name', serveStatic(folder.root)),
    ],
    [
      '/v1/files',
      '/v1/files',
      '/v1/files/*path',
      () => createApp().route('/v1', createRouter().get('/files', serveStatic(folder.root))),
    ],
  ])('%s causes a warning if there is no file', (pattern, path, wildcard, start) => {
    expect(warningsOf(start())).toEqual([
      expect.stringContaining(
        `serveStatic() finds no file for the route ${pattern}, which has no wildcard: it looks for ${path} in '${folder.root}'. Register it for '${wildcard}', or with app.use('${path}', …). If the file is created later, pass the middleware to intended().`,
      ),
    ]);
  });

  it.each<[string, () => Application]>([
    ['serves one file', () => createApp().get('/a.txt', serveStatic(folder.root))],
    [
      'serves files below a directory',
      () => createApp().get('/docs/:name', serveStatic(folder.root)),
    ],
    ['serves the index', () => createApp().get('/docs', serveStatic(folder.root))],
    [
      'has an extension',
      () => createApp().get('/page', serveStatic(folder.root, { extensions: ['.html'] })),
    ],
    [
      'has a fallback',
      () => createApp().get('/app', serveStatic(folder.root, { fallback: 'page.html' })),
    ],
    [
      'has another prefix',
      () => createApp().get('/files/:name', serveStatic(folder.root, { prefix: '/files' })),
    ],
    [
      'has a handler for the rest',
      () => createApp().get('/report', serveStatic(folder.root), () => 'created'),
    ],
    ['is intended', () => createApp().get('/later', intended(serveStatic(folder.root)))],
  ])('causes none if it %s', (_name, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});

describe('serveStatic() that never serves a file', () => {
  const handler = () => 1;
  const files = (options = {}) => serveStatic(folder.root, options);

  it.each<[string, () => Application]>([
    [
      "serveStatic() serves no file for the route /assets/*path, because no path of it is below the prefix '/files'. Omit the prefix, register the route for '/files/*path', or pass the middleware to intended().",
      () => createApp().get('/assets/*path', files({ prefix: '/files' })),
    ],
    [
      "serveStatic() serves no file for the route /files, because no path of it is below the prefix '/files/public'.",
      () => createApp().get('/files', files({ prefix: '/files/public', fallback: 'page.html' })),
    ],
    [
      'serveStatic() runs only for the routes that it is registered for, and finds no file for any of them in',
      () =>
        createApp().route(
          '/api',
          createRouter().use(files()).get('/a', handler).get('/b', handler),
        ),
    ],
  ])('causes a warning: %s', (message, start) => {
    expect(warningsOf(start())).toEqual([expect.stringContaining(message)]);
  });

  it.each<[string, () => Application]>([
    [
      'a wildcard is below the prefix',
      () => createApp().get('/files/a/*path', files({ prefix: '/files' })),
    ],
    [
      'a wildcard is above the prefix',
      () => createApp().get('/*path', files({ prefix: '/files' })),
    ],
    [
      'a parameter may be the prefix',
      () => createApp().get('/:kind/*path', files({ prefix: '/files' })),
    ],
    [
      'the application has it',
      () =>
        createApp()
          .use(files({ prefix: '/files' }))
          .get('/a', handler),
    ],
    [
      'one of two routes reaches the prefix',
      () => createApp().get(['/a/*path', '/files/*path'], files({ prefix: '/files' })),
    ],
    [
      'one route of the router has a file',
      () =>
        createApp().route(
          '/',
          createRouter().use(files()).get('/a', handler).get('/a.txt', handler),
        ),
    ],
    [
      'one route of the router has a wildcard',
      () =>
        createApp().route(
          '/',
          createRouter().use(files()).get('/a', handler).get('/*path', handler),
        ),
    ],
    [
      'it is intended',
      () =>
        createApp().route(
          '/',
          createRouter().use(intended(files())).get('/a', handler).get('/b', handler),
        ),
    ],
  ])('causes none if %s', (_, start) => {
    expect(warningsOf(start())).toEqual([]);
  });
});

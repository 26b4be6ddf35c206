import { type Application, createApp, createRouter, intended } from '@fairlead/core';
import { describe, expect, it, vi } from 'vitest';
import { serveStatic } from '../src/index.js';
import { provideFolder } from './support/folder.js';

const folder = provideFolder();

/** Returns the warnings that a start prints. */
function warningsOf(app: Application): readonly string[] {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  app.seal();
  const warnings = emit.mock.calls.map(([message]) => String(message));
  emit.mockRestore();
  return warnings;
}

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

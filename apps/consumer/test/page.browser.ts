import { join } from 'node:path';
import { controllersPlugin } from '@fairlead/controllers';
import { createApp, createRouter, errorHandler, json, listen } from '@fairlead/core';
import { cors } from '@fairlead/middleware';
import { launchChromium } from '@fairlead/test-support/chromium';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { eventsClosed, tasks } from '../fixtures/page/server/tasks.js';
import { here } from './support/project.js';

/** Serves the page. Its origin differs from that of the API, because their ports do. */
async function servePage() {
  const bundle = await build({
    entryPoints: [join(here, 'fixtures/page/page.ts')],
    bundle: true,
    conditions: ['@fairlead/source'],
    format: 'iife',
    globalName: 'tasksPage',
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? expect.unreachable();
  const page = createApp()
    .get('/', (ctx) =>
      ctx.html('<!doctype html><link rel="icon" href="data:,"><script src="/page.js"></script>'),
    )
    .get('/page.js', (ctx) => {
      ctx.set('Content-Type', 'text/javascript; charset=utf-8');
      ctx.send(script);
    });
  const server = await listen(page, 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}

async function serveApi(origin: string) {
  const router = createRouter();
  const api = createApp().use(cors({ origin }), errorHandler(), json());
  await api.plugin(controllersPlugin({ router, prefix: '/api', controllers: [tasks] }));
  const server = await listen(api.route('/', router), 0);
  onTestFinished(() => server.close({ timeout: 0 }));
  return server;
}

it('a page of another origin calls routes, reads problems and events, and ends a call', async () => {
  const pages = await servePage();
  const api = await serveApi(pages.url);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(pages.url);

  expect(await page.evaluate(`tasksPage.callServer(${JSON.stringify(api.url)})`)).toEqual({
    title: 'Read',
    tag: 'home',
    code: 'TASK_NOT_FOUND',
    paths: ['body.title'],
    events: ['Read', '1970'],
    ended: 'left',
  });
  await expect(eventsClosed).resolves.toBeUndefined();
});

import { join } from 'node:path';
import { createApp, listen, type Server } from '@fairlead/core';
import { multipart, type UploadedFile } from '@fairlead/multipart';
import {
  launchChromium,
  type OpenPage,
  openPage,
  screenshotFolder,
} from '@fairlead/test-support/chromium';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDocument, type OpenApiDocument, openapi } from '../src/index.js';
import { createEverything } from './support/everything.js';

const SCREENSHOTS = screenshotFolder('fairlead-docs');

let browser: Browser;
let server: Server;
let document: OpenApiDocument;

beforeAll(async () => {
  const app = await createEverything();
  document = createDocument(app);
  server = await listen(app, 0);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close({ timeout: 0 });
});

/** Opens the page, and waits until it shows operations. */
async function open(options: BrowserContextOptions = {}): Promise<OpenPage> {
  const opened = await openPage(browser, server.url, options);
  await opened.page.goto(`${server.url}/docs`);
  await opened.page.locator('.opblock').first().waitFor();
  return opened;
}

/** Sends a body to `POST /users` through the form of the page. Returns the status and the body shown. */
async function tryCreateUser(page: Page, body: object) {
  const operation = page.locator('#operations-users-createUser');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('textarea.body-param__text').fill(JSON.stringify(body));
  await operation.locator('button.execute').click();
  const response = operation.locator('.live-responses-table tr.response');
  await response.waitFor();
  return {
    response,
    status: await response.locator('.response-col_status').textContent(),
    text: String(await response.locator('.highlight-code code').first().textContent()),
  };
}

describe('the page', () => {
  it('lists every operation, without errors or requests to other servers', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    const listed = await page.locator('.opblock-summary').evaluateAll((elements) =>
      elements.map((element) => {
        const method = element.querySelector('.opblock-summary-method')?.textContent;
        const path = element.querySelector('[data-path]')?.getAttribute('data-path');
        return `${method} ${path}`;
      }),
    );

    const items = { ...document.paths, ...document.webhooks };
    const operations = Object.entries(items).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    // Operations with two tags are listed twice.
    expect([...new Set(listed)].toSorted()).toEqual(operations.toSorted());
    expect(await page.title()).toBe('Everything');
    expect(problems).toEqual([]);
  });

  it('creates a user and shows the response', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    const { status, text } = await tryCreateUser(page, { name: 'Ada', role: 'admin' });

    expect(status).toContain('201');
    expect(JSON.parse(text)).toMatchObject({ name: 'Ada', role: 'admin' });
    expect(problems).toEqual([]);
  });

  it('shows the issues of an invalid body', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    const { status, text } = await tryCreateUser(page, { name: '', role: 'guest' });

    expect(status).toContain('400');
    expect(JSON.parse(text)).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: ['body', 'name'] }, { path: ['body', 'role'] }],
    });
    expect(problems).toEqual([expect.stringContaining('status of 400')]);
  });

  it('uploads a file through the form that rules describe', async () => {
    const rules = {
      image: { kind: 'file', required: true, maxCount: 1 },
      title: { maxCount: 1 },
    } as const;
    const app = createApp().post('/images', multipart({ rules }), (ctx) => {
      const { image, title } = ctx.body as { image: UploadedFile; title: string };
      return { fileName: image.fileName, size: image.bytes.length, title };
    });
    await app.plugin(openapi({ info: { title: 'Images', version: '1' } }));
    const images = await listen(app, 0);
    onTestFinished(() => images.close({ timeout: 0 }));
    await using opened = await openPage(browser, images.url);
    const { page, problems } = opened;
    await page.goto(`${images.url}/docs`);
    await page.locator('.opblock-summary-control').click();
    const file = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.from('pixels') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.locator('tr', { hasText: 'title' }).locator('input[type=text]').fill('Sunset');
    await page.locator('button.execute').click();
    const response = page.locator('.live-responses-table tr.response');
    const text = await response.locator('.highlight-code code').first().textContent();
    expect(JSON.parse(String(text))).toEqual({ fileName: 'a.png', size: 6, title: 'Sunset' });
    expect(problems).toEqual([]);
  });

  it('sends the token that was entered', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.locator('button.authorize').first().click();
    const form = page.locator('.auth-container', { hasText: 'bearer' });
    await form.locator('input').fill('letmein');
    await form.getByRole('button', { name: 'Apply credentials' }).click();
    await page.locator('.modal-ux .close-modal').click();
    const operation = page.locator('#operations-users-deleteUsersByUserId');
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('input[placeholder=id]').fill('7');
    await operation.locator('button.execute').click();
    const response = operation.locator('.live-responses-table tr.response');

    expect(await response.locator('.response-col_status').textContent()).toContain('204');
  });

  const phone = { viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true };

  it.each<[string, BrowserContextOptions]>([
    ['light', { colorScheme: 'light' }],
    ['dark', { colorScheme: 'dark' }],
    ['phone', { colorScheme: 'light', deviceScaleFactor: 2, ...phone }],
    ['phone-dark', { colorScheme: 'dark', deviceScaleFactor: 2, ...phone }],
  ])('fits its window, in its colors: %s', async (name, options) => {
    await using opened = await open(options);
    const { page, problems } = opened;
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
    const { response } = await tryCreateUser(page, { name: 'Ada' });
    await response.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-response.png`) });
    const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
    const background = await page.evaluate(
      'getComputedStyle(document.documentElement).backgroundColor',
    );

    expect(width).toBe(0);
    expect(background).toBe(
      options.colorScheme === 'dark' ? 'rgb(28, 32, 34)' : 'rgba(0, 0, 0, 0)',
    );
    expect(problems).toEqual([]);
  });
});

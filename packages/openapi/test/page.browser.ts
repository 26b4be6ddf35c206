import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, type Server } from '@fairlead/core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDocument, type OpenApiDocument } from '../src/index.js';
import { createFixture } from './support/fixture.js';

const { CHROMIUM = '/usr/bin/chromium', SCREENSHOTS = join(tmpdir(), 'fairlead-docs') } =
  process.env;

let browser: Browser;
let server: Server;
let document: OpenApiDocument;

beforeAll(async () => {
  const app = await createFixture();
  const info = { title: 'Fixture', version: '1' };
  document = createDocument(app, { info, exclude: ['/health'] });
  server = await listen(app, 0);
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  browser = await chromium.launch({ executablePath: CHROMIUM, args });
});

afterAll(async () => {
  await browser?.close();
  await server?.close({ timeout: 0 });
});

/** A page, and what it should not do. */
interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly errors: string[];
  readonly externalRequests: string[];
}

async function openPage(options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const errors: string[] = [];
  const externalRequests: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.url) && !url.startsWith('data:')) externalRequests.push(url);
  });
  await page.goto(`${server.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  const close = () => context.close();
  return { page, errors, externalRequests, [Symbol.asyncDispose]: close };
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
    await using opened = await openPage();
    const { page, errors, externalRequests } = opened;
    const listed = await page.locator('.opblock-summary').evaluateAll((elements) =>
      elements.map((element) => {
        const method = element.querySelector('.opblock-summary-method')?.textContent;
        const path = element.querySelector('[data-path]')?.getAttribute('data-path');
        return `${method} ${path}`;
      }),
    );

    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.toSorted()).toEqual(operations.toSorted());
    expect(await page.title()).toBe('Fixture');
    expect(errors).toEqual([]);
    expect(externalRequests).toEqual([]);
  });

  it('creates a user and shows the response', async () => {
    await using opened = await openPage();
    const { page, errors, externalRequests } = opened;
    const { status, text } = await tryCreateUser(page, { name: 'Ada', role: 'admin' });

    expect(status).toContain('201');
    expect(JSON.parse(text)).toMatchObject({ name: 'Ada', role: 'admin' });
    expect(errors).toEqual([]);
    expect(externalRequests).toEqual([]);
  });

  it('shows the issues of an invalid body', async () => {
    await using opened = await openPage();
    const { page, errors } = opened;
    const { status, text } = await tryCreateUser(page, { name: '', role: 'guest' });

    expect(status).toContain('400');
    expect(JSON.parse(text)).toMatchObject({
      code: 'VALIDATION_FAILED',
      issues: [{ path: ['body', 'name'] }, { path: ['body', 'role'] }],
    });
    expect(errors).toEqual([expect.stringContaining('status of 400')]);
  });

  it('sends the token that was entered', async () => {
    await using opened = await openPage();
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
    await using opened = await openPage(options);
    const { page, errors } = opened;
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
    expect(errors).toEqual([]);
  });
});

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const { CHROMIUM = '/usr/bin/chromium', SCREENSHOTS } = process.env;

/**
 * Returns the folder for screenshots, which `SCREENSHOTS` overrides.
 *
 * @param name - The name of the default folder, in the folder for temporary files.
 */
export function screenshotFolder(name: string): string {
  return SCREENSHOTS ?? join(tmpdir(), name);
}

/** Starts Chromium. The environment variable `CHROMIUM` is its path. */
export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath: CHROMIUM, args });
}

/** A page, and what goes wrong on it. Its disposal closes it. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** Errors, warnings, failed requests, and requests to other servers. */
  readonly problems: readonly string[];
}

/**
 * Opens an empty page.
 *
 * @param origin - The URL of the server that the page may use.
 */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('requestfailed', (request) => {
    // Leaving a page aborts its prefetches.
    const reason = request.failure()?.errorText;
    if (reason !== 'net::ERR_ABORTED') problems.push(`${reason}: ${request.url()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    // A page makes URLs with data: and blob: itself.
    if (!url.startsWith(origin) && !/^(?:data|blob):/.test(url)) problems.push(`external: ${url}`);
  });
  return { page, problems, [Symbol.asyncDispose]: () => context.close() };
}

import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Context, createApp, listen, type Server } from '@fairlead/core';
import { sendFile, serveStatic } from '@fairlead/static';
import {
  launchChromium,
  type OpenPage,
  openPage,
  screenshotFolder,
} from '@fairlead/test-support/chromium';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PageData } from 'vitepress';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workspace } from '../src/pages.ts';
import { MISTAKES, PROGRAM, toggleMistake } from '../src/playground/program.ts';
import { editLinkOf } from '../src/repository.ts';
import { readVersions } from '../src/versions.ts';
import released from '../versions.json' with { type: 'json' };
import { startInNode } from './start-in-node.ts';

const SCREENSHOTS = screenshotFolder('fairlead-site');
const site = join(import.meta.dirname, '../dist');
const axe = createRequire(import.meta.url).resolve('axe-core');

/** The path of each page. */
const paths = globSync('**/*.html', { cwd: site })
  .filter((file) => file !== '404.html')
  .map((file) => `/${file.replace(/(^|\/)index\.html$/, '$1')}`)
  .toSorted();

/** One page of each kind. */
const KINDS = [
  ['home', '/'],
  ['guide', '/guides/guards.html'],
  ['tabs', '/getting-started.html'],
  ['package', '/packages/middleware.html'],
  ['api', '/api/session.html'],
  ['api-index', '/api/'],
  ['tables', '/runtimes.html'],
  ['playground', '/playground.html'],
  ['missing', '/missing.html'],
] as const;

const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };
const phone: BrowserContextOptions = {
  ...{ viewport: { width: 375, height: 800 }, isMobile: true, hasTouch: true },
};

let browser: Browser;
let server: Server;

beforeAll(async () => {
  if (!existsSync(site)) throw new Error('There is no built site. Run `pnpm --filter site build`.');
  const notFound = (ctx: Context) => sendFile(ctx, '404.html', { root: site });
  const app = createApp({ notFound }).use(serveStatic(site));
  server = await listen(app, 0);
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await server?.close({ timeout: 0 });
});

async function open(path: string, options = desktop): Promise<OpenPage> {
  const opened = await openPage(browser, server.url, options);
  await visit(opened.page, path);
  return opened;
}

/** Opens a page, and waits until its scripts run. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(`${server.url}${path}`);
  await page.waitForFunction('document.querySelector("#app").__vue_app__ !== undefined');
}

/** What a loaded page contains. */
interface Contents {
  readonly ids: readonly string[];
  /** The addresses of its links within the site, without those that start a download. */
  readonly links: readonly string[];
  readonly overflow: number;
}

/** Reads a page in the browser. */
const READ = `({
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.querySelectorAll('a[href]')].map(({ href }) => href)
    .filter((href) => href.startsWith(location.origin)),
  overflow: document.documentElement.scrollWidth - innerWidth,
})`;

describe('every page', () => {
  it('loads without errors or other servers, has links that lead somewhere, and fits a phone', async () => {
    await using opened = await open('/', phone);
    const { page, problems } = opened;
    const contents = new Map<string, Contents>();
    for (const path of paths) {
      await visit(page, path);
      contents.set(path, await page.evaluate<Contents>(READ));
    }

    const broken = [...contents].flatMap(([path, { links }]) =>
      links
        .filter((link) => {
          const { pathname, hash } = new URL(link);
          const anchor = decodeURIComponent(hash.slice(1));
          const target = contents.get(pathname);
          return target === undefined || (anchor !== '' && !target.ids.includes(anchor));
        })
        .map((link) => `${path}: ${link}`),
    );
    const wide = [...contents].filter(([, { overflow }]) => overflow > 0).map(([path]) => path);

    expect(paths).toEqual(expect.arrayContaining(['/', '/guides/guards.html', '/api/core.html']));
    expect(problems).toEqual([]);
    expect(broken).toEqual([]);
    expect(wide).toEqual([]);
  });
});

it('every page has a description, and a picture that previews of its link show', () => {
  const incomplete = paths.filter((path) => {
    const html = readFileSync(join(site, path.replace(/\/$/, '/index.html')), 'utf8');
    const contentOf = (name: string) =>
      new RegExp(`<meta (?:name|property)="${name}" content="([^"]+)"`).exec(html)?.[1] ?? '';
    const [, card = ''] = /(cards\/.*\.png)$/.exec(contentOf('og:image')) ?? [];
    const texts = ['description', 'og:title', 'og:description'].map(contentOf);
    return card === '' || texts.includes('') || !existsSync(join(site, card));
  });
  expect(incomplete).toEqual([]);
});

it('every page links to the file it was made from, except those of generated files', async () => {
  await using opened = await open('/');
  const modules = globSync('assets/*.md.*.lean.js', { cwd: site });
  // What VitePress knows about each page when it makes the link.
  const pages = await opened.page.evaluate<readonly PageData[]>(
    `Promise.all(${JSON.stringify(modules)}.map(async (file) => (await import('/' + file)).__pageData))`,
  );
  const { pattern } = editLinkOf('https://github.com/owner/name');
  const linked = pages.filter(({ frontmatter }) => frontmatter.editLink !== false);
  const wrong = linked.filter(({ filePath, title }) => {
    const link = pattern.replaceAll(':path', filePath);
    const [, source = ''] =
      /^https:\/\/github\.com\/owner\/name\/edit\/main\/(.+)$/.exec(link) ?? [];
    const text = readFileSync(join(workspace, source), 'utf8');
    return /^# (.+)$/m.exec(text)?.[1]?.replaceAll(/[`\\]/g, '') !== title;
  });
  const unlinked = pages.filter((page) => !linked.includes(page)).map(({ filePath }) => filePath);

  expect(pages).toHaveLength(paths.length);
  expect(wrong).toEqual([]);
  expect(unlinked.filter((path) => !/^apps\/site\/(?:api|pages)\//.test(path))).toEqual([]);
});

describe('the Markdown of the site', () => {
  /** Returns the status, type and text of a file. */
  const load = async (path: string) => {
    const response = await fetch(new URL(path, server.url));
    return {
      status: response.status,
      type: response.headers.get('Content-Type'),
      text: await response.text(),
    };
  };

  it('is linked by every page, and next to it', async () => {
    const linked = paths.map((path) => {
      const html = readFileSync(join(site, path.replace(/\/$/, '/index.html')), 'utf8');
      const [, href] =
        /<link rel="alternate" type="text\/markdown" href="([^"]+)">/.exec(html) ?? [];
      return href;
    });
    const expected = paths.map((path) => path.replace(/\/$/, '/index.html').replace(/html$/, 'md'));
    expect(linked).toEqual(expected);
    expect(await load('/guides/controllers.md')).toMatchObject({
      status: 200,
      type: 'text/markdown; charset=utf-8',
      text: expect.stringMatching(/^# Controllers\n/),
    });
  });

  it('is listed in /llms.txt, whose links lead to every page', async () => {
    const { status, text } = await load('/llms.txt');
    const links = [...text.matchAll(/^- \[.+?\]\(([^)]+)\)/gm)].map(([, link = '']) => link);
    const missing = links.filter((link) => !existsSync(join(site, link)));
    expect(status).toBe(200);
    expect(links).toHaveLength(paths.length);
    expect(missing).toEqual([]);
    expect(await load('/llms-full.txt')).toMatchObject({
      status: 200,
      text: expect.stringContaining('\nPage: guides/controllers.md\n\n# Controllers\n'),
    });
  });
});

describe.each<[string, BrowserContextOptions]>([
  ['light', { ...desktop, colorScheme: 'light' }],
  ['dark', { ...desktop, colorScheme: 'dark' }],
  ['phone', { ...phone, colorScheme: 'light', deviceScaleFactor: 2 }],
])('%s', (scheme, options) => {
  it.each(KINDS)('has no violations that axe finds: %s', async (kind, path) => {
    await using opened = await open(path, options);
    const { page } = opened;
    await page.screenshot({ path: join(SCREENSHOTS, `${kind}-${scheme}.png`) });
    await page.addScriptTag({ path: axe });
    const { violations } = await page.evaluate<AxeResults>(
      "axe.run({ resultTypes: ['violations'] })",
    );
    const found = violations.map(({ id, nodes }) => [
      id,
      nodes.slice(0, 3).map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
    ]);

    expect(found).toEqual([]);
  });
});

describe('the landing page', () => {
  const boxOf = async (page: Page, selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return box ?? { x: NaN, y: NaN, width: NaN, height: NaN };
  };
  const wide = { viewport: { width: 1400, height: 900 } };

  it('shows the sentence, and the program beside its whole report, in the first window', async () => {
    await using opened = await open('/', wide);
    const { page, problems } = opened;
    const code = await boxOf(page, '.landing-code [class*="language-"]');
    const report = await boxOf(page, '.start-report');
    const text = (await page.locator('.start-report').textContent()) ?? '';

    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('h1 + p').textContent()).toMatch(/^Fairlead is a .*\.$/);
    expect(report.x).toBeGreaterThan(code.x + code.width);
    expect(code.y + code.height).toBeLessThan(925);
    expect(report.y + report.height).toBeLessThan(925);
    expect(text.match(/^ *Fix: /gm)).toHaveLength(5);
    expect(problems).toEqual([]);
  });

  it('shows the report below the program on a phone', async () => {
    await using opened = await open('/', phone);
    const code = await boxOf(opened.page, '.landing-code [class*="language-"]');
    const report = await boxOf(opened.page, '.start-report');

    expect(report.y).toBeGreaterThan(code.y + code.height);
    expect(report.x + report.width).toBeLessThanOrEqual(375);
  });

  it('has three numbers, each with a link to its evidence', async () => {
    await using opened = await open('/');
    const cards = opened.page.locator('.landing-numbers li');
    const numbers = await cards.locator('.number').allInnerTexts();

    expect(numbers).toHaveLength(3);
    for (const number of numbers) expect(number).toMatch(/^[\d.,]+/);
    expect(await opened.page.locator('.landing-numbers li:has(a[href$=".html"])').count()).toBe(3);
  });

  it('has one left edge below the report', async () => {
    await using opened = await open('/', wide);
    const edges = await opened.page.evaluate<readonly number[]>(
      `[...document.querySelectorAll('.landing > :not(.landing-first)')]
        .map((element) => element.getBoundingClientRect().x)`,
    );

    expect(edges.length).toBeGreaterThan(10);
    expect(new Set(edges).size).toBe(1);
  });

  it.each([
    ['in the width of the text', wide, 960],
    ['in one column on a phone', phone, 327],
  ])('has the chart of the speed %s, in a readable size', async (_, options, width) => {
    await using opened = await open('/', options);
    const { page } = opened;
    const chart = await boxOf(page, '.speed-chart');
    const [text, longest] = await page.evaluate<readonly number[]>(`(() => {
      const bars = [...document.querySelectorAll('.speed-chart .bar')];
      const chart = document.querySelector('.speed-chart').getBoundingClientRect();
      return [
        parseFloat(getComputedStyle(bars[0].previousSibling).fontSize),
        chart.right - Math.max(...bars.map((bar) => bar.nextSibling.getBoundingClientRect().right)),
      ];
    })()`);

    expect(chart.width).toBe(width);
    expect(text).toBeGreaterThanOrEqual(13);
    expect(longest).toBeGreaterThan(0);
  });

  it('leads to the playground', async () => {
    await using opened = await open('/', phone);
    const { page, problems } = opened;
    await page.getByRole('main').getByRole('link', { name: 'Break an application' }).click();
    await page.getByText('The application starts.').waitFor();

    expect(problems).toEqual([]);
  });

  it('says what works today above the first command that needs a release', async () => {
    await using opened = await open('/');
    const text = (await opened.page.locator('main').textContent()) ?? '';

    expect(text.indexOf('npx -y pnpm@12 start')).toBeGreaterThan(0);
    expect(text.indexOf('npx -y pnpm@12 start')).toBeLessThan(text.indexOf('npm create'));
  });

  it('changes the style of hello world with the arrow keys', async () => {
    await using opened = await open('/');
    const { page } = opened;
    const group = page.locator('.vp-code-group', { hasText: 'Functions' });
    await group.locator('input').first().focus();
    const before = await group.locator('.active code').textContent();
    await page.keyboard.press('ArrowRight');
    const values = await group.locator('.active code').textContent();
    await page.keyboard.press('ArrowRight');

    expect(before).toContain("createApp().get('/hello/:name'");
    expect(values).toContain('defineController');
    expect(await group.locator('.active code').textContent()).toContain('@Controller');
  });
});

describe('the code in a window of 1,400 pixels', () => {
  /** Returns the blocks that scroll, and those that wrap a line of up to 100 characters. */
  const MEASURE = `[...document.querySelectorAll('.vp-doc [class*="language-"] pre')]
    .filter((block) => block.offsetParent !== null)
    .filter((block) => {
      const code = block.querySelector('code');
      const lines = code.textContent.split('\\n');
      const rows = (code.getBoundingClientRect().height) / parseFloat(getComputedStyle(code).lineHeight);
      const fits = lines.every(({ length }) => length <= 100);
      return block.scrollWidth > block.clientWidth || (fits && Math.round(rows) > lines.length);
    })
    .map((block) => block.textContent.slice(0, 80))`;
  const main = ['/', '/getting-started.html', '/guides/controllers.html', '/guides/openapi.html'];

  it.each([...main, '/recipes/database.html', '/packages/core.html'])('fits: %s', async (path) => {
    await using opened = await open(path, { viewport: { width: 1400, height: 900 } });
    expect(await opened.page.evaluate<string[]>(MEASURE)).toEqual([]);
  });
});

describe('the tables', () => {
  const narrow = { ...phone, viewport: { width: 390, height: 844 } };
  const pages = ['/coming-from/nestjs.html', '/coming-from/express.html', '/all-mistakes.html'];
  const options = ['/packages/openapi.html', '/packages/jwt.html', '/packages/core.html'];

  it.each([...pages, ...options])('show two columns or more on a phone: %s', async (path) => {
    await using opened = await open(path, narrow);
    const { page } = opened;
    const tables = await page.locator('.vp-doc table').count();
    const hidden = await page.evaluate<string[]>(`[...document.querySelectorAll('.vp-doc table')]
      .filter((table) => [...table.tBodies[0].rows].some(({ cells: [, second] }) =>
        second && second.getBoundingClientRect().right > table.getBoundingClientRect().right))
      .map(({ textContent }) => textContent.slice(0, 80))`);

    expect(tables).toBeGreaterThan(0);
    expect(hidden).toEqual([]);
  });

  it('with long messages show them below each other on a phone, with the names of the columns', async () => {
    await using opened = await open('/all-mistakes.html', narrow);
    const { page } = opened;
    const row = page.locator('tr', { hasText: 'json({ limti })' }).first();
    const boxes = await Promise.all(
      (await row.locator('td').all()).map((cell) => cell.boundingBox()),
    );
    const wide = await page.evaluate<number>(`[...document.querySelectorAll('table')]
      .filter((table) => table.querySelector('[data-label]') && table.scrollWidth > table.clientWidth)
      .length`);
    await row.scrollIntoViewIfNeeded();
    await page.screenshot({ path: join(SCREENSHOTS, 'mistakes-phone.png') });

    expect(boxes.map((box) => box?.x)).toEqual(Array(4).fill(boxes[0]?.x));
    expect(await row.locator('td').last().getAttribute('data-label')).toBe('Message');
    expect(wide).toBe(0);
  });

  it('keep the name of a template on one line in a wide window', async () => {
    await using opened = await open('/getting-started.html', {
      viewport: { width: 1400, height: 900 },
    });
    const { page } = opened;
    const names = page.locator('td:first-child code');
    const heights = await page.evaluate<number[]>(
      "[...document.querySelectorAll('td:first-child code')].map((code) => code.getClientRects().length)",
    );

    expect(await names.allTextContents()).toContain('rest-api');
    expect(new Set(heights)).toEqual(new Set([1]));
  });
});

describe('the tabs of code', () => {
  const groupsOf = (page: Page, name: string) =>
    page.locator('.vp-code-group', { has: page.getByText(name, { exact: true }) });

  it('stay chosen on other pages and later visits, before the scripts of a page run', async () => {
    await using opened = await open('/getting-started.html');
    const { page, problems } = opened;
    await groupsOf(page, 'Classes').first().getByText('Classes', { exact: true }).click();
    await groupsOf(page, 'pnpm').first().locator('input').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('.VPSidebar a[href="/guides/guards.html"]').click();
    await page.waitForURL('**/guides/guards.html');
    const guards = await groupsOf(page, 'Classes').locator('.active code').allTextContents();
    await page.locator('.VPSidebar a[href="/guides/sessions.html"]').click();
    await page.waitForURL('**/guides/sessions.html');
    await page.route('**/*.js', (route) => route.abort());
    const broken = problems.length;
    await page.goto(`${server.url}/getting-started.html`);
    const shown = await page.locator('.vp-code-group .active code').allTextContents();
    const checked = page.locator('.vp-code-group input:checked + label');

    expect(broken).toBe(0);
    expect(guards[0]).toContain('@Controller');
    expect(shown.join('\n')).toContain('@Controller');
    expect(shown.join('\n')).not.toMatch(/^npm /m);
    expect(new Set(await checked.allTextContents())).toEqual(
      new Set(['pnpm', 'Classes', 'Values, Classes']),
    );
  });

  it('stay where they are in the window when groups above them change', async () => {
    await using opened = await open('/getting-started.html');
    const { page } = opened;
    const last = groupsOf(page, 'pnpm').last();
    await last.scrollIntoViewIfNeeded();
    const before = await last.boundingBox();
    await last.locator('label', { hasText: 'bun' }).click();
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))');
    const after = await last.boundingBox();

    expect(Math.abs((after?.y ?? NaN) - (before?.y ?? NaN))).toBeLessThan(2);
  });

  it('show the first one without scripts', async () => {
    await using opened = await openPage(browser, server.url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${server.url}/getting-started.html`);
    const first = page.locator('.vp-code-group').first();

    expect(await first.locator('.active code').isVisible()).toBe(true);
    expect(await first.locator('.active code').textContent()).toContain('npm create');
  });

  it('show the same way in every group, of which one may serve two ways', async () => {
    await using opened = await open('/getting-started.html');
    const { page, problems } = opened;
    const groups = page.locator('.vp-code-group', { hasText: 'Classes' });
    const shown = async () => {
      const blocks = await groups.locator('.active code').allTextContents();
      return blocks.map((code) => /^\/\/ (\S+)/.exec(code)?.[1] ?? code);
    };
    const select = (group: number, name: string) =>
      groups.nth(group).getByText(name, { exact: true }).click();
    const before = await shown();
    await select(0, 'Classes');
    const classes = await groups.locator('.active code').allTextContents();
    await select(1, 'Functions');
    const functions = await shown();

    expect(before).toEqual(['src/notes-router.ts', 'src/app.ts']);
    expect(classes[0]).toContain('@Controller');
    expect(classes[1]).toContain('controllersPlugin');
    expect(functions).toEqual(before);
    expect(problems).toEqual([]);
  });

  it('show the commands of the same package manager in every group', async () => {
    await using opened = await open('/getting-started.html');
    const { page, problems } = opened;
    const groups = page.locator('.vp-code-group', { hasText: 'pnpm' });
    await groups.nth(1).locator('label', { hasText: 'pnpm' }).click();
    const commands = await groups.locator('.active code').allTextContents();

    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((code) => !/^pnpm (?:create|add|run|test|start)/m.test(code))).toEqual(
      [],
    );
    expect(problems).toEqual([]);
  });
});

describe('the playground', () => {
  const CLIPBOARD = ['clipboard-read', 'clipboard-write'];
  /** Opens the playground once the program has started. */
  const play = async (options = desktop) => {
    const opened = await open('/playground.html', { ...options, permissions: CLIPBOARD });
    const { page } = opened;
    await page.getByText('The application starts.').waitFor();
    await page.locator('.cm-content').waitFor();
    return { opened, page, output: page.getByRole('region', { name: 'Output' }) };
  };
  const selectProgram = async (page: Page) => {
    await page.getByRole('textbox', { name: 'app.js' }).focus();
    await page.keyboard.press('Control+a');
  };
  /** Returns the program in the editor, of which the document contains the lines near those that it shows. */
  const copyProgram = async (page: Page) => {
    await selectProgram(page);
    await page.keyboard.press('Control+c');
    return page.evaluate<string>('navigator.clipboard.readText()');
  };
  const pasteProgram = async (page: Page, text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await selectProgram(page);
    await page.keyboard.press('Control+v');
  };
  /** Returns where the browser shows a text of the program. */
  const boxOf = (page: Page, text: string) =>
    page.evaluate<readonly number[]>(`(() => {
      const walker = document.createTreeWalker(
        document.querySelector('.playground .editor .scroll'), NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const from = walker.currentNode.data.indexOf(${JSON.stringify(text)});
        if (from < 0) continue;
        const range = document.createRange();
        range.setStart(walker.currentNode, from);
        range.setEnd(walker.currentNode, from + ${text.length});
        const { x, y } = range.getBoundingClientRect();
        return [x, y].map(Math.round);
      }
    })()`);
  const failed = 'The start fails, before the port opens.';

  it('prints what Node.js prints, for the program of the visitor', async () => {
    const { opened, page, output } = await play();
    await using _ = opened;
    const started = await output.textContent();
    for (const { label } of MISTAKES) await page.getByRole('button', { name: label }).click();
    const broken = await copyProgram(page);
    const report = await startInNode(broken);
    // Each mistake starts the program again.
    await expect.poll(() => output.textContent(), { timeout: 30_000 }).toBe(report);
    const wrong = PROGRAM.replace('router }', 'router, guards: [{}] }');
    await pasteProgram(page, wrong);
    await output.getByText('guards').waitFor();

    expect(started).toBe(await startInNode(PROGRAM));
    expect(broken).toBe(MISTAKES.reduce(toggleMistake, PROGRAM));
    expect(report.match(/^ {2}\d+\. /gm)).toHaveLength(7);
    expect(await output.textContent()).toBe(await startInNode(wrong));
    expect(opened.problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'says in words and in a color when the application starts with a warning: %s',
    async (colorScheme) => {
      const { opened, page, output } = await play({ ...desktop, colorScheme });
      await using _ = opened;
      const status = page.getByRole('status');
      const colorOf = () =>
        page.evaluate<string>("getComputedStyle(document.querySelector('[role=status]')).color");
      const started = await colorOf();
      await page.getByRole('button', { name: 'Unmounted router' }).click();
      await status.getByText('The application starts, with a warning.').waitFor();
      await page.screenshot({ path: join(SCREENSHOTS, `playground-warning-${colorScheme}.png`) });
      await page.addScriptTag({ path: axe });
      const { violations } = await page.evaluate<AxeResults>(
        "axe.run({ runOnly: ['color-contrast'] })",
      );

      expect(await colorOf()).not.toBe(started);
      expect(await output.locator('.warning').textContent()).toContain('unreachable');
      expect(violations).toEqual([]);
    },
  );

  it('has a program and a report of the same height, with many problems', async () => {
    const { opened, page, output } = await play();
    await using _ = opened;
    for (const { label } of MISTAKES) await page.getByRole('button', { name: label }).click();
    await output.getByText('7 problems').waitFor();
    const heightOf = async (selector: string) =>
      (await page.locator(`.playground ${selector}`).boundingBox())?.height;
    const scrolls = await output.evaluate((element) => element.scrollHeight > element.clientHeight);
    await page.screenshot({ path: join(SCREENSHOTS, 'playground-problems.png') });

    expect(await heightOf('.report .scroll')).toBe(await heightOf('.editor .scroll'));
    expect(scrolls).toBe(true);
    expect(await output.locator('.problem').count()).toBe(7);
  });

  it('makes mistakes with the keyboard, leads to the line of a report, and takes them back', async () => {
    const { opened, page, output } = await play();
    await using _ = opened;
    const mistake = page.getByRole('button', { name: 'Cycle' });
    await mistake.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText(failed).waitFor();
    const pressed = await mistake.getAttribute('aria-pressed');
    await output.getByRole('button').focus();
    await page.keyboard.press('Enter');
    const selected = await page.evaluate('getSelection().toString()');
    const marked = await page.locator('.cm-gutterElement.reported').allTextContents();
    await page.screenshot({ path: join(SCREENSHOTS, 'playground-line.png') });
    await page.getByRole('button', { name: 'Reset' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('The application starts.').waitFor();

    expect(pressed).toBe('true');
    expect(selected).toMatch(/^ {2}container.register\('log'/);
    expect(marked).toEqual(['40']);
    expect(await page.locator('.cm-gutterElement.reported').count()).toBe(0);
    expect(await mistake.getAttribute('aria-pressed')).toBe('false');
    expect(opened.problems).toEqual([]);
  });

  it('has an editor that Tab leaves, and that takes back each press of a button', async () => {
    const { opened, page } = await play();
    await using _ = opened;
    const cycle = page.getByRole('button', { name: 'Cycle' });
    await cycle.click();
    const broken = await copyProgram(page);
    await page.getByRole('button', { name: 'Missing call' }).click();
    await page.getByLabel('Application').selectOption('Functions');
    await page.getByRole('textbox', { name: 'app.js' }).focus();
    await page.keyboard.press('Control+z');
    const application = await page.getByLabel('Application').inputValue();
    await page.keyboard.press('Control+z');
    const first = await copyProgram(page);
    const pressed = await cycle.getAttribute('aria-pressed');
    await page.keyboard.press('Control+z');
    await page.keyboard.press('Tab');
    const next = await page.evaluate('document.activeElement.ariaLabel');

    expect(next).toBe('Output');
    expect(application).toBe('Values');
    expect(first).toBe(broken);
    expect(pressed).toBe('true');
    expect(await copyProgram(page)).toBe(PROGRAM);
    expect(await cycle.getAttribute('aria-pressed')).toBe('false');
    expect(opened.problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('has the colors of blocks of code: %s', async (scheme) => {
    const colorsOf = (page: Page, block: string) =>
      page.evaluate<readonly string[]>(`['keyword', 'string', 'function', 'variable', 'constant']
        .map((name) => document.querySelector('${block} .code-' + name))
        .concat(document.querySelector('${block}'))
        .map((element) => getComputedStyle(element).color)`);
    const { opened, page } = await play({ ...desktop, colorScheme: scheme });
    await using _ = opened;
    const colors = await colorsOf(page, '.cm-line');
    await visit(page, '/guides/controllers.html');

    expect(new Set(colors).size).toBe(6);
    expect(colors).toEqual(await colorsOf(page, '.vp-code .line'));
  });

  it.each([
    ['a wide window', desktop],
    ['a phone', phone],
  ])('shows the program where the editor will show it: %s', async (_, options) => {
    await using opened = await openPage(browser, server.url, {
      ...options,
      permissions: CLIPBOARD,
    });
    const { page } = opened;
    const { promise: wait, resolve: load } = Promise.withResolvers<void>();
    await page.route('**/chunks/editor.*.js', async (route) => {
      await wait;
      await route.continue();
    });
    await visit(page, '/playground.html');
    await page.getByText('The application starts.').waitFor();
    const program = page.getByRole('textbox', { name: 'app.js' });
    const text = await program.textContent();
    await program.focus();
    const before = await Promise.all([boxOf(page, 'Clock'), boxOf(page, '27')]);
    await page.getByRole('button', { name: 'Cycle' }).click();
    await page.getByRole('status').getByText(failed).waitFor();
    await program.focus();
    load();
    await page.locator('.cm-focused').waitFor();
    const after = await Promise.all([boxOf(page, 'Clock'), boxOf(page, '27')]);
    await page.getByRole('button', { name: 'app.js:40' }).click();
    const marked = await page.locator('.cm-gutterElement.reported').allTextContents();

    expect(text).toBe(PROGRAM);
    expect(after).toEqual(before);
    expect(marked).toEqual(['40']);
    expect(await copyProgram(page)).toContain('useFactory');
    expect(opened.problems).toEqual([]);
  });

  it('shows the program without scripts', async () => {
    await using opened = await openPage(browser, server.url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${server.url}/playground.html`);
    const program = page.getByRole('textbox', { name: 'app.js' });

    expect(await program.isVisible()).toBe(true);
    expect(await program.textContent()).toBe(PROGRAM);
    expect(await program.getAttribute('aria-readonly')).toBe('true');
  });

  it('shows the report in the window of a phone in which the visitor makes a mistake', async () => {
    const { opened, page, output } = await play(phone);
    await using _ = opened;
    await page.getByRole('button', { name: 'Cycle' }).click();
    await page.getByRole('status').getByText(failed).waitFor();
    const scrolled = await page.evaluate('scrollY');
    const box = await output.boundingBox();

    expect(scrolled).toBe(0);
    expect((box?.y ?? NaN) + (box?.height ?? NaN)).toBeLessThan(800);
  });

  it('shows the lines that a button changes', async () => {
    const { opened, page } = await play();
    await using _ = opened;
    await page.getByRole('button', { name: 'Unmounted router' }).click();
    const [line, box] = await Promise.all([
      page.locator('.cm-line', { hasText: '// No app.route().' }).boundingBox(),
      page.locator('.playground .editor .scroll').boundingBox(),
    ]);

    expect(line?.y).toBeGreaterThan(box?.y ?? NaN);
    expect(line?.y).toBeLessThan((box?.y ?? NaN) + (box?.height ?? NaN));
    expect(await page.evaluate('scrollY')).toBe(0);
  });

  it('keeps the report when a change ends the program before', async () => {
    const { opened, page } = await play();
    await using _ = opened;
    await page.clock.install();
    await page.evaluate(`(() => {
      const [first, second] = document.querySelectorAll('.playground .mistakes button');
      first.click();
      setTimeout(() => second.click(), 5);
    })()`);
    await page.getByRole('status').getByText(failed).waitFor();
    await page.clock.fastForward(10_000);

    expect(await page.getByRole('status').textContent()).toBe(failed);
  });

  it('names the line that JavaScript cannot parse, and stops a program that does not end', async () => {
    const { opened, page, output } = await play(phone);
    await using _ = opened;
    const wrong = PROGRAM.replace('createApp();', 'createApp(;');
    await pasteProgram(page, wrong);
    await output.getByText('SyntaxError').waitFor();
    const error = await output.textContent();
    await pasteProgram(page, 'for (;;) {}');
    await page.getByText('The program takes too long.').waitFor();

    const line = wrong.split('\n').findIndex((text) => text.includes('(;')) + 1;
    expect(error).toMatch(new RegExp(`^app\\.js:${line}:25\nSyntaxError: `));
    expect(await output.textContent()).toBe('The program was stopped after 5 seconds.');
    expect(await copyProgram(page)).toBe('for (;;) {}');
  });
});

describe('the search', () => {
  it.each(['/', 'Control+k'])(
    'opens with %s, finds UseGuard, and opens the result',
    async (key) => {
      await using opened = await open('/guides/testing.html');
      const { page, problems } = opened;
      await page.keyboard.press(key);
      await page.locator('.VPLocalSearchBox input').fill('UseGuard');
      const result = page.locator('.VPLocalSearchBox .result', { hasText: 'UseGuard' }).first();
      await result.waitFor();
      await page.screenshot({ path: join(SCREENSHOTS, 'search.png') });
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/(?:api|guides|packages)\/(?!testing)/);

      expect(await page.locator('main').textContent()).toContain('UseGuard');
      expect(problems).toEqual([]);
    },
  );

  it('lists the API of UseGuard first', async () => {
    await using opened = await open('/');
    const { page } = opened;
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').fill('UseGuard');
    const first = page.locator('.VPLocalSearchBox .result').first();

    await first.waitFor();
    expect(await first.getAttribute('href')).toMatch(/^\/api\/controllers\.html#useguard/);
  });

  it.each([
    ['interceptor', /^\/guides\/controllers\.html#/],
    ['current user', /^\/(?:guides|recipes)\//],
    ['graceful shutdown', /^\/packages\/serve\.html#/],
    ['PATCH partial update', /^\/recipes\/filters-and-patch\.html#/],
    ['cors', /^\/(?:guides\/browsers|api\/middleware)\.html#/],
    ['validation', /^\/guides\/validation\.html#/],
    ['file upload', /^\/recipes\/file-uploads\.html#/],
  ])('lists what explains a task first: %s', async (query, expected) => {
    await using opened = await open('/');
    const { page } = opened;
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').fill(query);
    const first = page.locator('.VPLocalSearchBox .result').first();

    await first.waitFor();
    expect(await first.getAttribute('href')).toMatch(expected);
  });

  it('closes with Escape, and gives the focus back', async () => {
    await using opened = await open('/guides/testing.html');
    const { page } = opened;
    const button = page.locator('.DocSearch-Button').first();
    await button.focus();
    await page.keyboard.press('Enter');
    const box = page.locator('.VPLocalSearchBox');
    await box.waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });

    await page.locator('.DocSearch-Button:focus').waitFor();
    expect(await box.count()).toBe(0);
  });
});

describe('the navigation', () => {
  it('has a list of versions if there are several, and fits every window', async () => {
    await using opened = await open('/guides/testing.html');
    const { page } = opened;
    const shown = await page.locator('.VPNavBarMenu .version option').allTextContents();
    const names = readVersions('/', released).versions.map(({ name }) => name);
    const overflows: number[] = [];
    for (const width of [768, 960, 1151, 1152, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      overflows.push((await page.evaluate<Contents>(READ)).overflow);
    }

    expect(shown).toEqual(names.length > 1 ? names : []);
    expect(overflows).toEqual([0, 0, 0, 0, 0]);
  });

  it('has a menu with all links in windows without space for them', async () => {
    await using opened = await open('/guides/testing.html', {
      viewport: { width: 1000, height: 800 },
    });
    const { page } = opened;
    await page.getByRole('button', { name: 'mobile navigation' }).click();
    await page.locator('.VPNavScreen').getByRole('link', { name: 'Playground' }).click();
    await page.getByText('The application starts.').waitFor();

    expect(opened.problems).toEqual([]);
  });
});

describe('the side bar', () => {
  const part = (page: Page, name: string) =>
    page.locator('.VPSidebar details', { has: page.getByText(name, { exact: true }) });

  it('opens a part with the keyboard, which leads to its pages, and marks the page', async () => {
    await using opened = await open('/guides/testing.html');
    const { page, problems } = opened;
    const recipes = part(page, 'Recipes');
    const before = await recipes.getAttribute('open');
    await recipes.locator('summary').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(/recipes\/\w+\.html/);
    const current = page.locator('[aria-current="page"]');
    await recipes.locator(current).waitFor();

    expect(before).toBeNull();
    expect(await current.count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe(await current.getAttribute('href'));
    expect(problems).toEqual([]);
  });

  it('leads to every page, also without a script', async () => {
    await using opened = await openPage(browser, server.url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${server.url}/guides/testing.html`);
    const links = await page.locator('.VPSidebar a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    await part(page, 'Decisions').locator('summary').click();

    expect(targets.toSorted()).toEqual(paths);
    expect(await part(page, 'Decisions').locator('a').first().isVisible()).toBe(true);
  });
});

describe('the keyboard', () => {
  it('shows which tab has the focus', async () => {
    await using opened = await open('/', { viewport: { width: 1400, height: 900 } });
    const { page } = opened;
    await page.getByRole('radio', { name: 'Functions' }).focus();
    await page.keyboard.press('ArrowRight');
    const outline = await page.evaluate(
      'getComputedStyle(document.activeElement.nextElementSibling).outlineStyle',
    );

    expect(outline).toBe('solid');
  });

  it('reaches the content with the first Tab and Enter', async () => {
    await using opened = await open('/guides/testing.html');
    const { page } = opened;
    await page.keyboard.press('Tab');
    const link = page.locator(':focus');
    const text = await link.textContent();
    await page.screenshot({ path: join(SCREENSHOTS, 'skip-link.png') });
    const visible = await link.boundingBox();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');

    expect(text).toMatch(/Skip to content/);
    expect(visible?.width).toBeGreaterThan(50);
    expect(await page.locator('#VPContent :focus').count()).toBe(1);
  });

  it('opens the menu of a phone, and closes it', async () => {
    await using opened = await open('/guides/testing.html', phone);
    const { page } = opened;
    const menu = page.locator('.VPLocalNav button.menu');
    const hidden = await page.locator('.VPSidebar').isHidden();
    await menu.focus();
    await page.keyboard.press('Enter');
    const sidebar = page.locator('.VPSidebar.open');
    await sidebar.waitFor();
    await page.screenshot({ path: join(SCREENSHOTS, 'menu.png') });
    await page.keyboard.press('Escape');
    await sidebar.waitFor({ state: 'detached' });

    expect(hidden).toBe(true);
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
  });
});

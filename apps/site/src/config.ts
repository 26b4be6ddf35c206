import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { slug } from 'github-slugger';
import { defineConfig, type HeadConfig } from 'vitepress';
import { CARD, cardPathOf, writeCards } from './cards.ts';
import { findBrokenLinks } from './check-links.ts';
import { shareColors } from './code-colors.ts';
import { layOutLanding } from './landing.ts';
import { translateLinks } from './links.ts';
import { describePage, writeMarkdown } from './markdown.ts';
import { groupCommands } from './package-managers.ts';
import { API_FOLDER, pathOf, readPages, workspace } from './pages.ts';
import { playgroundWorker } from './playground/bundle.ts';
import { editLinkOf, homepage, repository } from './repository.ts';
import { indexOptions, searchOptions } from './search.ts';
import { groupPages } from './sidebar.ts';
import { showChart } from './speed-chart.ts';
import { showReport } from './start-report.ts';
import { keepShortCellsWhole, releaseEmptyHeads, stackLongRows } from './tables.ts';
import { groupCode } from './tabs.ts';

const pages = readPages();
const rules = { pages, repository };
const groups = groupPages(pages);

/** Groups that the bar above each page links. */
const IN_NAVIGATION = ['guides', 'recipes', 'packages', 'api', 'reference'];

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0a7d5a"/><path d="M5 3h7v2H7v2h4v2H7v4H5z" fill="#fff"/></svg>',
);

const rememberTabs = transformSync(
  readFileSync(join(import.meta.dirname, '../.vitepress/theme/remember-tabs.ts'), 'utf8'),
  { loader: 'ts', minify: true },
);

export default defineConfig({
  title: 'Fairlead',
  description: 'A TypeScript HTTP framework for JSON APIs',
  // Otherwise, every page computes its styles three times before it is interactive.
  appearance: { disableTransition: false },
  head: [
    // Without an icon, browsers look for /favicon.ico.
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${ICON}` }],
    ['script', {}, rememberTabs.code.trim()],
  ],
  srcDir: workspace,
  srcExclude: [
    '!(README).md',
    'packages/*/!(README).md',
    'packages/*/*/**',
    'apps/!(benchmarks|realworld|site|users-api)/**',
    'apps/{benchmarks,realworld}/*/**',
    'apps/site/!(api|pages)/**',
    'apps/users-api/!(docs|README.md)/**',
  ],
  outDir: 'dist',
  cacheDir: 'node_modules/.vitepress',
  rewrites: pathOf,
  // Pages link to what runs while a reader follows them.
  ignoreDeadLinks: 'localhostLinks',
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [shareColors],
    // Anchors are the same on GitHub.
    anchor: { slugify: slug },
    config(md) {
      md.core.ruler.before('normalize', 'group-code', (state) => {
        state.src = groupCommands(groupCode(state.src));
      });
      md.core.ruler.push('adapt-document', (state) => {
        const { tokens, env, Token } = state;
        translateLinks(rules, tokens, env);
        releaseEmptyHeads(tokens);
        keepShortCellsWhole(tokens);
        stackLongRows(tokens);
        showReport(tokens);
        showChart(tokens);
        if (env.relativePath !== 'index.md') return;
        state.tokens = [
          ...layOutLanding(tokens, (content) =>
            Object.assign(new Token('html_block', '', 0), { content }),
          ),
        ];
      });
    },
  },
  transformPageData({ filePath, frontmatter }) {
    const page = pages.find(({ source }) => source === filePath);
    if (filePath.startsWith(API_FOLDER)) frontmatter.editLink = false;
    if (filePath === 'README.md') frontmatter.layout = 'home';
    return page && { description: describePage(page) };
  },
  transformHead({ pageData: { relativePath, title, description }, siteData: { base } }) {
    if (relativePath === '404.md') return [];
    const preview = {
      'og:type': 'website',
      'og:site_name': 'Fairlead',
      'og:title': title,
      'og:description': description,
      // Readers of these tags accept no path here.
      'og:image': `${homepage ?? base}${cardPathOf(relativePath)}`,
      'og:image:width': String(CARD.width),
      'og:image:height': String(CARD.height),
    };
    return [
      ['link', { rel: 'alternate', type: 'text/markdown', href: `${base}${relativePath}` }],
      ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
      ...Object.entries(preview).map(
        ([property, content]): HeadConfig => ['meta', { property, content }],
      ),
    ];
  },
  async buildEnd({ outDir, site }) {
    writeMarkdown(outDir, rules);
    await writeCards(outDir, pages);
    const broken = findBrokenLinks(outDir, site.base);
    if (broken.length > 0) throw new Error(`Broken links:\n${broken.join('\n')}`);
  },
  vite: {
    resolve: {
      alias: [
        {
          find: /^\.\/VPSidebarGroup\.vue$/,
          replacement: join(import.meta.dirname, '../.vitepress/theme/sidebar-groups.ts'),
        },
      ],
    },
    plugins: [
      playgroundWorker(),
      {
        // Documents become Vue components outside of this package, which alone depends on Vue.
        name: 'resolve-vue',
        enforce: 'pre',
        resolveId(id, importer) {
          if (!/^vue(?:$|\/)/.test(id) || !importer?.endsWith('.md')) return null;
          return this.resolve(id, join(import.meta.dirname, 'config.ts'), { skipSelf: true });
        },
      },
    ],
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The index leaves out sections whose heading starts with a link.
        _render: (text, env, md) =>
          md.render(text, env).replaceAll(/(<h\d[^>]*>)<a href="[^#][^>]*>(.*?)<\/a>/g, '$1$2'),
        miniSearch: { options: indexOptions, searchOptions },
      },
    },
    outline: [2, 3],
    nav: [
      ...groups
        .flatMap(({ items }) => items)
        .filter(({ link }) => link === '/getting-started')
        .map(({ link }) => ({ text: 'Get started', link })),
      { text: 'Playground', link: '/playground' },
      ...groups
        .filter(({ folder }) => IN_NAVIGATION.includes(folder))
        .map(({ folder, text, items }) => ({
          text,
          // The overview of the guides, and what readers look up most.
          link: { guides: '/docs', reference: '/errors' }[folder] ?? items[0]?.link ?? '/',
          activeMatch: `^/${folder}/`,
        })),
      { component: 'VersionSwitch' },
    ],
    sidebar: groups.map(({ text, items, collapsed }) => ({ text, items: [...items], collapsed })),
    ...(repository && {
      socialLinks: [{ icon: 'github', link: repository }],
      editLink: editLinkOf(repository),
    }),
  },
});

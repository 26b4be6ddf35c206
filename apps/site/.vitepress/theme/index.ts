import { inBrowser, type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { defineAsyncComponent, h } from 'vue';
import { returnFocusAfterSearch } from './return-focus.ts';
import versionSwitch from './version-switch.ts';
import './style.css';
import './tables.css';
import './code.css';
import './navigation.css';
import './landing.css';

/** Replaces the page of VitePress for missing pages, which has no main landmark. */
const NotFound = () =>
  h('main', { class: 'not-found vp-doc' }, [
    h('h1', 'Page not found'),
    h('p', ['There is no page here. ', h('a', { href: withBase('/') }, 'Go to the overview')]),
  ]);

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': NotFound }),
  enhanceApp({ app }) {
    app.component(
      'Playground',
      defineAsyncComponent(() => import('./playground/index.ts')),
    );
    app.component('VersionSwitch', versionSwitch);
    if (inBrowser) returnFocusAfterSearch();
  },
} satisfies Theme;

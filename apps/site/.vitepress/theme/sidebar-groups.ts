import { type DefaultTheme, useData, withBase } from 'vitepress';
import { defineComponent, h, type PropType } from 'vue';
import './sidebar-groups.css';

/**
 * The groups of the side bar. Those of VitePress have two components for each page, which take most of the time in
 * which a phone makes a page interactive. These have none: a group is an element that opens without a script.
 */
export default defineComponent({
  props: { items: { type: Array as PropType<DefaultTheme.SidebarItem[]>, required: true } },
  setup(props) {
    const { page } = useData();
    return () => {
      const current = `/${page.value.relativePath.replace(/(?:(?<=^|\/)index)?\.md$/, '')}`;
      return props.items.map(({ text = '', items = [], collapsed }) => {
        const active = items.some(({ link }) => link === current);
        return h('details', { key: text, class: 'sidebar-group', open: active || !collapsed }, [
          h('summary', { class: { active } }, text),
          h(
            'ul',
            items.map(({ text: title, link = '' }) =>
              h('li', { key: link }, [
                h(
                  'a',
                  {
                    href: withBase(link.endsWith('/') ? link : `${link}.html`),
                    'aria-current': link === current ? 'page' : undefined,
                  },
                  title,
                ),
              ]),
            ),
          ),
        ]);
      });
    };
  },
});

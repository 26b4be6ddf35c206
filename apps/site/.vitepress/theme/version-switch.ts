import { useData } from 'vitepress';
import { defineComponent, h } from 'vue';
import { readVersions } from '../../src/versions.ts';
import released from '../../versions.json' with { type: 'json' };

/** The list of versions of the site, in the navigation. Empty until there is more than one. */
export default defineComponent(() => {
  const { site } = useData();
  const { current, versions } = readVersions(site.value.base, released);
  if (versions.length === 1) return () => null;
  const onChange = ({ target }: Event) => location.assign((target as HTMLSelectElement).value);
  return () =>
    h(
      'select',
      { class: 'version', 'aria-label': 'Version', onChange },
      versions.map(({ name, path }) =>
        h('option', { value: path, selected: name === current }, name),
      ),
    );
});

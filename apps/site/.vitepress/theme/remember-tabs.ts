/*
 * Shows the tabs that the reader has chosen, such as "pnpm" or "Classes", in every group of tabs of every page. Each
 * page contains this script in its head: browsers then never paint another tab first.
 */
{
  const KEY = 'fairlead:tabs';

  /** Returns the names of a tab, such as "Values" and "Classes" of "Values, Classes". */
  const namesOf = (label: Element | undefined) => label?.textContent?.split(', ') ?? [];

  const load = (): readonly string[] => {
    try {
      return localStorage.getItem(KEY)?.split('\n') ?? [];
    } catch {
      // The reader allows no storage.
      return [];
    }
  };

  const save = (names: readonly string[]) => {
    try {
      localStorage.setItem(KEY, names.join('\n'));
    } catch {
      // The choice then lasts until the page closes.
    }
  };

  /** The names of chosen tabs, the latest first. */
  let chosen = load();

  const show = () => {
    for (const group of document.querySelectorAll('.vp-code-group')) {
      const labels = [...group.querySelectorAll('.tabs label')];
      const index = chosen
        .map((name) => labels.findIndex((label) => namesOf(label).includes(name)))
        .find((found) => found >= 0);
      if (index === undefined) continue;
      const tab = group.querySelectorAll<HTMLInputElement>('.tabs input')[index];
      if (tab !== undefined) tab.checked = true;
      const blocks = [...(group.querySelector('.blocks')?.children ?? [])];
      // While the browser parses the group, the block may be missing.
      if (blocks[index] === undefined) continue;
      for (const block of blocks) block.classList.toggle('active', block === blocks[index]);
    }
  };

  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const group = target.closest('.vp-code-group');
    if (group === null) return;
    const names = namesOf(target.labels?.[0]);
    const known = chosen.filter((name) => names.includes(name));
    const others = chosen.filter((name) => !names.includes(name));
    chosen = [...(known.length > 0 ? known : names), ...others];
    save(chosen);
    const { top } = group.getBoundingClientRect();
    show();
    // The groups above may have another height now.
    scrollBy({ top: group.getBoundingClientRect().top - top, behavior: 'instant' });
  });

  new MutationObserver(show).observe(document, { childList: true, subtree: true });
}

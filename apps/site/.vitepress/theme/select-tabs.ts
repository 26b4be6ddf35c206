/** Selects the tab of the same name in every other group of tabs on the page. */
export function selectSameTabs(): void {
  document.addEventListener('click', (event) => {
    const { target, isTrusted } = event;
    // The clicks below select tabs, too.
    if (!isTrusted || !(target instanceof HTMLInputElement)) return;
    const group = target.closest('.vp-code-group');
    if (group === null) return;
    const names = namesOf(target);
    const others = [...document.querySelectorAll('.vp-code-group')].filter((one) => one !== group);
    for (const other of others) {
      const tabs = [...other.querySelectorAll<HTMLInputElement>('.tabs input')];
      const same = tabs.filter((tab) => namesOf(tab).some((name) => names.includes(name)));
      if (!same.some(({ checked }) => checked)) same[0]?.click();
    }
  });
}

/** The names of a tab, such as "Values, Classes". */
function namesOf({ labels }: HTMLInputElement): readonly string[] {
  return labels?.[0]?.textContent?.split(', ') ?? [];
}

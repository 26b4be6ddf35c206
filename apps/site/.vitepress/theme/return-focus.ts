/** Gives the focus back to the element that had it before the search opened, once it closes. */
export function returnFocusAfterSearch(): void {
  const search = '.VPLocalSearchBox';
  let before: HTMLElement | undefined;
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLElement && !target.closest(search)) before = target;
  });
  new MutationObserver((changes) => {
    const closed = changes
      .flatMap(({ removedNodes }) => [...removedNodes])
      .some((node) => node instanceof Element && node.matches(search));
    if (closed) before?.focus({ preventScroll: true });
  }).observe(document.body, { childList: true });
}

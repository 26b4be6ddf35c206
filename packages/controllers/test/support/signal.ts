/** An event that one part of a test waits for and another triggers. */
export function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** A list that does not retain its values. Removes dead references whenever the list has doubled. */
export class WeakList<T extends WeakKey> {
  #references: WeakRef<T>[] = [];
  #longest = 64;

  /** Appends a value. */
  add(value: T): void {
    if (this.#references.length >= this.#longest) {
      this.#references = this.#references.filter((reference) => reference.deref() !== undefined);
      this.#longest = Math.max(64, 2 * this.#references.length);
    }
    this.#references.push(new WeakRef(value));
  }

  /** Lists the values that something else retains. */
  list(): T[] {
    return this.#references.flatMap((reference) => reference.deref() ?? []);
  }
}

/** One request of a workload, and the answer that every server has to give. */
export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** Media type without parameters. */
  readonly type: string;
  readonly answer: string;
  /** Whether ids and times in the answer are others each time. */
  readonly volatile?: boolean;
}

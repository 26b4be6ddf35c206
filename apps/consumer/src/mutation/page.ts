export interface Survivor {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly before: string;
  readonly after: string;
}
export interface Recorded {
  readonly commit: string;
  readonly date: string;
  readonly seed: number;
  readonly mutants: number;
  readonly sampled: number;
  readonly timedOut: number;
  readonly survivors: readonly Survivor[];
}

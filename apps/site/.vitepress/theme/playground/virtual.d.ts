declare module 'virtual:playground-worker' {
  /** The code of the worker that runs a program. */
  const code: string;
  export default code;
}

import { vi } from 'vitest';

interface Startable {
  seal(): void;
}

/** Returns the messages of the warnings that the start of an application prints. */
export function warningsOf(app: Startable): readonly string[] {
  return printedBy(app).map(([message]) => String(message));
}

/** Returns the codes and messages of the warnings that the start of an application prints, without places. */
export function codedWarningsOf(app: Startable): readonly string[] {
  return printedBy(app).map(([message, options]) =>
    `${Reflect.get(Object(options), 'code')}: ${message}`.replace(/\n {2}At: .*/, ''),
  );
}

function printedBy(app: Startable): readonly (readonly unknown[])[] {
  const emit = vi.spyOn(process, 'emitWarning').mockReturnValue(undefined);
  app.seal();
  const calls = [...emit.mock.calls];
  emit.mockRestore();
  return calls;
}

import type { Application, Problem } from '@fairlead/core';

/** The boundary of bodies written by hand. */
export const BOUNDARY = 'edge';

/** The headers of a body with that boundary. */
export const HEADERS = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Formats a part with the given header lines and content. */
export function part(headers: readonly string[], content = ''): string {
  return `--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`;
}

/** Formats a field. */
export function field(name: string, value = ''): string {
  return part([`Content-Disposition: form-data; name="${name}"`], value);
}

/** Formats a file. */
export function file(name: string, fileName: string, content = ''): string {
  return part([`Content-Disposition: form-data; name="${name}"; filename="${fileName}"`], content);
}

/** Formats a body of parts with its closing delimiter. */
export function form(...parts: readonly string[]): string {
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Sends a body to an application in process. */
export function post(
  app: Application,
  body: NonNullable<RequestInit['body']>,
  headers: Readonly<Record<string, string>> = HEADERS,
): Promise<Response> {
  return app.request('/', { method: 'POST', body, headers });
}

/** Returns the status and the error code of a response. */
export async function statusAndCode(response: Response): Promise<readonly [number, string]> {
  const { status, code } = (await response.json()) as Problem;
  return [status, code];
}

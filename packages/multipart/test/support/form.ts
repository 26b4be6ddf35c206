import type { Application, Problem } from '@fairlead/core';

/** The boundary of the bodies that tests write by hand. */
export const BOUNDARY = 'edge';

/** Headers of a body with that boundary. */
export const HEADERS = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Writes a part: its header lines, and its content. */
export function part(headers: readonly string[], content = ''): string {
  return `--${BOUNDARY}\r\n${headers.join('\r\n')}\r\n\r\n${content}\r\n`;
}

/** Writes a field. */
export function field(name: string, value = ''): string {
  return part([`Content-Disposition: form-data; name="${name}"`], value);
}

/** Writes a file. */
export function file(name: string, fileName: string, content = ''): string {
  return part([`Content-Disposition: form-data; name="${name}"; filename="${fileName}"`], content);
}

/** Writes a body of parts, with its last delimiter. */
export function form(...written: readonly string[]): string {
  return `${written.join('')}--${BOUNDARY}--\r\n`;
}

/** Sends a body to an application in memory. */
export function post(
  app: Application,
  body: NonNullable<RequestInit['body']>,
  headers: Readonly<Record<string, string>> = HEADERS,
): Promise<Response> {
  return app.request('/', { method: 'POST', body, headers });
}

/** The status and code of an answer. */
export async function refusal(response: Response): Promise<readonly [number, string]> {
  const { status, code } = (await response.json()) as Problem;
  return [status, code];
}

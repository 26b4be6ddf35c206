import { isUtf8 } from 'node:buffer';
import { isHopByHop } from '@fairlead/options';
import type { HeaderForm } from './request.js';

/** A response as API Gateway, function URLs and Application Load Balancers take it. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  /** For events with several values of a header, and for REST APIs. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** The values of `Set-Cookie`, for HTTP APIs and function URLs. */
  readonly cookies?: string[];
  /** The body as text or in Base64. Empty for a response without one. */
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The status and the headers of a response. */
export type LambdaResultHead = Omit<LambdaResult, 'body' | 'isBase64Encoded'>;

/** Describes the status and the headers of a response for a gateway. */
export function describeHead(response: Response, form: HeaderForm): LambdaResultHead {
  const statusCode = response.status;
  const cookies = response.headers.getSetCookie();
  const headers = [...response.headers].filter(
    ([name]) => name !== 'set-cookie' && !isHopByHop(name),
  );
  if (form === 'multi') {
    const lists = headers.map(([name, value]) => [name, [value]] as const);
    const setCookie = cookies.length > 0 ? { 'set-cookie': cookies } : {};
    return { statusCode, multiValueHeaders: { ...Object.fromEntries(lists), ...setCookie } };
  }
  if (form === 'cookies') {
    const single = Object.fromEntries(headers);
    return { statusCode, headers: single, ...(cookies.length > 0 && { cookies }) };
  }
  // One text for each name, but names in different case are different names.
  const named = cookies.map((cookie, index) => [nameInCase('set-cookie', index), cookie] as const);
  return { statusCode, headers: Object.fromEntries([...headers, ...named]) };
}

/** Writes a name in upper and lower case so that each index has another spelling. */
function nameInCase(name: string, index: number): string {
  let bits = index;
  return name.replace(/[a-z]/g, (letter) => {
    const isUpper = bits % 2 === 1;
    bits = Math.floor(bits / 2);
    return isUpper ? letter.toUpperCase() : letter;
  });
}

/**
 * Reads a response completely and describes it for a gateway. A body that is UTF-8 and not compressed
 * becomes text, and any other becomes Base64. Both keep every byte.
 *
 * @throws The error of the body.
 */
export async function describeResponse(
  response: Response,
  form: HeaderForm,
): Promise<LambdaResult> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isBase64Encoded = response.headers.has('Content-Encoding') || !isUtf8(bytes);
  const body = bytes.toString(isBase64Encoded ? 'base64' : 'utf8');
  return { ...describeHead(response, form), body, isBase64Encoded };
}

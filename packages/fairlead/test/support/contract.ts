import { Document } from '../../src/client/index.js';
import { compareDocuments } from '../../src/contract/compare.js';
import { describeChange } from '../../src/contract/report.js';

/** Members of an OpenAPI document. */
export type Members = Readonly<Record<string, unknown>>;

/** Creates a document. */
export function documentOf(members: Members): Document {
  const root = { openapi: '3.1.0', info: { title: 'Test', version: '1' }, ...members };
  return new Document(root, 'the document');
}

/** Compares two documents, and describes each change in a line. */
export function linesOf(before: Members, after: Members, today = '2026-06-30'): readonly string[] {
  return compareDocuments(documentOf(before), documentOf(after), today).map(
    (change) => `${change.severity} ${change.operation} ${describeChange(change)}`,
  );
}

/** Creates a document whose only operation is `POST /a`. */
export function postOf(operation: Members, others: Members = {}): Members {
  return { paths: { '/a': { post: operation } }, ...others };
}

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });

/** Compares two schemas, as the body of a request and of a response. */
export function linesOfSchemas(
  before: unknown,
  after: unknown,
  components: readonly unknown[] = [],
) {
  const [old, now] = [before, after].map((schema, index) =>
    postOf(
      { requestBody: { required: true, ...json(schema) }, responses: { 200: json(schema) } },
      { components: { schemas: components[index] ?? components[0] ?? {} } },
    ),
  );
  const lines = linesOf(old ?? {}, now ?? {});
  const pick = (place: string) =>
    lines.flatMap((line) => {
      const [start = '', text] = line.split(` POST /a ${place}: `);
      return text === undefined ? [] : [`${start}: ${text}`];
    });
  return { request: pick('request body'), response: pick('response 200') };
}

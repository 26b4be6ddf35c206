import { titleOf } from '@fairlead/core/extend';
import type { JsonSchema } from './convert.js';
import type { Headers } from './headers.js';
import { findFreeName, toPascalCase } from './names.js';
import type { Report, Schemas } from './schemas.js';

const PROBLEM: JsonSchema = {
  title: 'Problem',
  description: 'An error, as RFC 9457 describes it.',
  type: 'object',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string', description: 'The reason phrase of the status.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    instance: { type: 'string', description: 'The path of the request.' },
    code: { type: 'string', description: 'Identifies the error.' },
    error: { type: 'string', description: 'Repeats the detail.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'error'],
};

const VALIDATION_PROBLEM: JsonSchema = {
  title: 'ValidationProblem',
  description: 'A request that is not valid.',
  allOf: [{ $ref: '#/$defs/Problem' }],
  properties: {
    issues: {
      description: 'What schemas rejected. Absent if the request was rejected before.',
      type: 'array',
      items: { $ref: '#/$defs/ValidationIssue' },
    },
  },
  $defs: {
    Problem: PROBLEM,
    ValidationIssue: {
      type: 'object',
      properties: {
        source: {
          type: 'string',
          description: 'The part of the request: param, query, header or body.',
        },
        path: {
          description: 'The source, the name of the parameter, then the keys within the value.',
          type: 'array',
          items: { type: ['string', 'integer'] },
        },
        message: { type: 'string' },
      },
      required: ['source', 'path', 'message'],
    },
  },
};

/** The error responses of a document. Operations share them. */
export class ErrorResponses {
  /** The responses, by name. They may contain nodes. */
  readonly responses = new Map<string, object>();
  /** Status of requests that schemas reject. */
  readonly validationStatus: number;
  readonly #schemas: Schemas;
  readonly #errorSchema: object | undefined;
  readonly #report: Report;
  readonly #references = new Map<string, object>();

  /**
   * @param errorSchema - Describes the bodies of errors; undefined for problems of RFC 9457.
   * @param report - Receives why `errorSchema` cannot be part of the document.
   */
  constructor(
    schemas: Schemas,
    validationStatus: number,
    errorSchema: object | undefined,
    report: Report,
  ) {
    this.#schemas = schemas;
    this.validationStatus = validationStatus;
    this.#errorSchema = errorSchema;
    this.#report = report;
  }

  /**
   * Returns the reference to a response.
   *
   * @param status - `default` for statuses that no response has.
   * @param validates - Whether schemas validate the request.
   * @param added - What functions of the route add.
   */
  refer(
    status: number | 'default',
    validates: boolean,
    added: { readonly description: string | undefined; readonly headers: Headers },
  ): object {
    const kind = validates && status === this.validationStatus ? 'Validation Failed' : status;
    const { description = phraseOf(status), headers } = added;
    const key = JSON.stringify([kind, description, headers]);
    const present = this.#references.get(key);
    if (present !== undefined) return present;
    const phrase = kind === 'default' ? 'Error' : typeof kind === 'number' ? phraseOf(kind) : kind;
    const name = findFreeName(toPascalCase(phrase), this.responses);
    const content = this.contentOf(status, validates);
    const hasHeaders = Object.keys(headers).length > 0;
    this.responses.set(name, { description, ...(hasHeaders && { headers }), content });
    const reference = { $ref: `#/components/responses/${name}` };
    this.#references.set(key, reference);
    return reference;
  }

  /**
   * Returns the content of a response.
   *
   * @param codes - Those that the route declares; none by default.
   * @param hasOthers - Whether the problem may have another code.
   */
  contentOf(
    status: number | 'default',
    validates: boolean,
    codes: readonly string[] = [],
    hasOthers = false,
  ): object {
    if (this.#errorSchema !== undefined) {
      return { 'application/json': { schema: this.#add(this.#errorSchema) } };
    }
    const hasIssues = validates && status === this.validationStatus;
    const schema = this.#add(hasIssues ? VALIDATION_PROBLEM : PROBLEM);
    if (codes.length === 0) return { 'application/problem+json': { schema } };
    const known = { enum: codes };
    const code = hasOthers ? { anyOf: [known, { type: 'string' }] } : known;
    return { 'application/problem+json': { schema: { allOf: [schema], properties: { code } } } };
  }

  #add(schema: object): unknown {
    return this.#schemas.add(schema, 'output', 'Error', this.#report);
  }
}

/** Returns the reason phrase of a status. */
export function phraseOf(status: number | string): string {
  return status === 'default' ? 'Any other error' : titleOf(Number(status));
}

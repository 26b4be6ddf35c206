const STRING = { type: 'string' } as const;
const INTEGER = { type: 'integer' } as const;
const NUMBER = { type: 'number' } as const;

/** Describes an object with these properties. All of them are required unless told otherwise. */
export const objectOf = (properties: object, required = Object.keys(properties)) => ({
  ...{ type: 'object', properties, required },
});

const USER = objectOf({
  ...{ id: STRING, name: STRING, email: STRING, createdAt: STRING, updatedAt: STRING },
});

/** The JSON schema of a single user. */
export const ONE_RESPONSE = objectOf({ data: USER });

/** The JSON schema of a page. */
export const PAGE_RESPONSE = objectOf({
  data: { type: 'array', items: USER },
  meta: objectOf({ total: INTEGER, page: NUMBER, limit: NUMBER }),
});

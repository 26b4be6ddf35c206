import { describe, expect, it } from 'vitest';
import { createUser } from './user.js';
import { etagOf, userPage } from './view.js';

it('etagOf() depends on the user only, so every process and store sends the same', () => {
  const user = createUser({ name: 'Ada', email: 'ada@example.com' }, 0);
  expect(etagOf(user)).toBe('"1970-01-01T00:00:00.000Z-28gchv"');
  expect(etagOf({ ...user, id: 'other' })).toBe('"1970-01-01T00:00:00.000Z-28gchv"');
});

describe('userPage', () => {
  it('renders a complete document with every field', () => {
    const user = createUser({ name: 'Ada', email: 'ada@example.com' }, 0);
    expect(userPage(user)).toBe(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Ada</title>
  </head>
  <body>
    <h1>Ada</h1>
    <dl>
      <dt>id</dt><dd>${user.id}</dd>
      <dt>name</dt><dd>Ada</dd>
      <dt>email</dt><dd>ada@example.com</dd>
      <dt>createdAt</dt><dd>1970-01-01T00:00:00.000Z</dd>
      <dt>updatedAt</dt><dd>1970-01-01T00:00:00.000Z</dd>
    </dl>
  </body>
</html>
`);
  });

  it('escapes the five special characters of HTML', () => {
    const page = userPage(createUser({ name: `<b>&"'`, email: '</dd>' }, 0));
    expect(page).toContain('<h1>&lt;b&gt;&amp;&quot;&#39;</h1>');
    expect(page).toContain('<dd>&lt;/dd&gt;</dd>');
  });
});

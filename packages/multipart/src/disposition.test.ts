import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDisposition } from './disposition.js';

/** Encodes a text as the header parser passes it on. */
const latin1 = (text: string) => Buffer.from(text).toString('latin1');

describe('a disposition', () => {
  it.each([
    ['form-data; name="a"', 'a', undefined],
    ['form-data; name=a', 'a', undefined],
    ['FORM-DATA;NAME="a"', 'a', undefined],
    ['form-data; name="a";', 'a', undefined],
    ['form-data; name=""', '', undefined],
    ['form-data; name=; filename=', '', ''],
    ['form-data; name =  "a" ; filename = b ', 'a', 'b'],
    ['form-data; name="a; filename=b"', 'a; filename=b', undefined],
    ['form-data; filename="b"; name="a"', 'a', 'b'],
    ['form-data; name="a"; filename=""', 'a', ''],
    ['form-data; name="say \\"hi\\""', 'say "hi"', undefined],
    ['form-data; name="a"; filename="x"; filename*=UTF-8\'\'na%C3%AFve', 'a', 'naïve'],
    ['form-data; name="a"; filename*=utf-8\'en\'%E2%82%AC', 'a', '€'],
    ["form-data; name=a; filename=b; filename*=utf-8''%FF", 'a', 'b'],
    ["form-data; name=a; filename=b; filename*=latin-1''c", 'a', 'b'],
    ["form-data; name=a; filename*=utf-8''%00; filename=../b", 'a', 'b'],
    ['form-data; name=a; filename=b; filename*=', 'a', 'b'],
  ])('parses %s', (header, name, fileName) => {
    expect(parseDisposition(header)).toEqual({ name, fileName });
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['/etc/passwd', 'passwd'],
    ['C:\\photos\\a.jpg', 'a.jpg'],
    ['C:a.jpg', 'a.jpg'],
    ['..\\a/b\\c', 'c'],
    ['..', ''],
    ['.', ''],
    ['a/..', ''],
    ['.htaccess', '.htaccess'],
  ])('reduces the file name %s to its base name', (path, base) => {
    expect(parseDisposition(`form-data; name="a"; filename="${path}"`).fileName).toBe(base);
  });

  it('removes percent-encoded folders from filename*', () => {
    const header = "form-data; name=a; filename*=utf-8''..%2F..%5Cb";
    expect(parseDisposition(header).fileName).toBe('b');
  });

  it.each([
    '',
    'attachment; name="a"',
    'form-data',
    'form-data; filename="b"',
    'form-data; name="a',
    'form-data; name="a"b',
    'form-data name="a"',
    'form-data; name="a\0"',
    'form-data; name="a"; filename="b\0"',
    'form-data; name="\xff"',
    'form-data; name=a; filename="\xff"',
    "form-data; name=a; filename*=utf-8''%FF",
    "form-data; name=a; filename*=utf-8''%00",
    "form-data; name=a; filename*=latin-1''a",
    'form-data; name="a"; name="b"',
    'form-data; name="a"; NAME="a"',
    'form-data; name="a"; filename="b.png"; filename="b.php"',
    "form-data; name=a; filename*=utf-8''b; filename*=utf-8''b",
  ])('rejects %j as malformed', (header) => {
    expect(() => parseDisposition(header)).toThrow(
      expect.objectContaining({ status: 400, code: 'MALFORMED_MULTIPART' }),
    );
  });

  it.each([
    ...['"__proto__"', '__proto__', '"__proto__"; filename="a"'],
    ...['"user[__proto__]"', '"a.__proto__.b"', '"constructor[prototype]"'],
  ])('rejects the name %s', (name) => {
    expect(() => parseDisposition(`form-data; name=${name}`)).toThrow(
      expect.objectContaining({ status: 400, code: 'FORBIDDEN_KEY' }),
    );
  });

  it('returns every name that a client can quote', () => {
    const names = fc.string({ unit: 'grapheme' }).filter((name) => !/\p{Cc}|__proto__/u.test(name));
    fc.assert(
      fc.property(names, (name) => {
        const quoted = name.replace(/["\\]/g, '\\$&');
        expect(parseDisposition(latin1(`form-data; name="${quoted}"`)).name).toBe(name);
      }),
    );
  });

  it('never returns a file name with a separator', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a.:/\\]*$/), (path) => {
        const quoted = path.replace(/["\\]/g, '\\$&');
        const { fileName } = parseDisposition(`form-data; name=a; filename="${quoted}"`);
        expect(fileName).toMatch(/^(?!\.{1,2}$)[^/\\]*$/);
      }),
    );
  });
});

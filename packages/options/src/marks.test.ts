import { expect, it } from 'vitest';
import {
  declareForeign,
  declareForm,
  declareMediaTypes,
  declarePlacement,
  declareProxy,
  declareReader,
  declareSecurity,
  declareSlot,
  declareUpgrade,
  declareUpstream,
  formsOf,
  hasProxyOption,
  isForeign,
  isResponder,
  declareResponder,
  isIntended,
  isUpgrade,
  markIntended,
  mediaTypesOf,
  mountForeign,
  placeBelow,
  readerOf,
  securityOf,
  slotOf,
  upstreamOf,
} from './marks.js';

it('lists the media types of marked parsers only', () => {
  const parser = declareMediaTypes(() => undefined, ['text/csv']);

  expect(mediaTypesOf([parser, () => undefined, parser])).toEqual(['text/csv']);
  expect(mediaTypesOf([() => undefined])).toEqual([]);
});

it('lists only the media types of a parser that rejects all others', () => {
  const form = { properties: {}, required: [], encoding: {} };
  const parse = (type: string) => declareMediaTypes(() => undefined, [type]);
  const other = declareForm(parse('b/b'), { ...form, isExclusive: false });
  const exclusive = declareForm(parse('c/c'), { ...form, isExclusive: true });

  expect(mediaTypesOf([parse('a/a'), other])).toEqual(['a/a', 'b/b']);
  expect(mediaTypesOf([parse('a/a'), exclusive, other])).toEqual(['c/c']);
});

it('lists the forms of marked parsers only', () => {
  const form = { properties: { a: {} }, required: ['a'], encoding: {}, isExclusive: true };
  const parser = declareForm(() => undefined, form);

  expect(formsOf([() => undefined, parser])).toEqual([form]);
});

it('replaces only marked middleware by what runs below a prefix', () => {
  const below = () => undefined;
  const other = () => undefined;
  const marked = declarePlacement(
    () => undefined,
    (prefix) => (prefix === '/a' ? below : other),
  );

  expect(placeBelow('/a', marked)).toBe(below);
  expect(placeBelow('/b', marked)).toBe(other);
  expect(placeBelow('/a', other)).toBe(other);
});

it('replaces only foreign middleware by what runs below the prefix of a router', () => {
  const below = () => undefined;
  const foreign = declareForeign(
    () => undefined,
    () => below,
  );

  expect(mountForeign('/a', foreign)).toBe(below);
  expect(mountForeign('/a', below)).toBe(below);
  expect([isForeign(foreign), isForeign(below)]).toEqual([true, false]);
});

it('lists the security of marked functions and classes, and of their subclasses', () => {
  const bearer = { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } };
  const key = { name: 'key', scheme: { type: 'apiKey', in: 'header', name: 'X-Key' } };
  class SignedIn {}
  class Admin extends declareSecurity(SignedIn, bearer) {}
  declareSecurity(Admin, key);

  expect(securityOf(declareSecurity(() => true, key))).toEqual([key]);
  expect(securityOf(SignedIn)).toEqual([bearer]);
  expect(securityOf(Admin)).toEqual([bearer, key]);
  expect(securityOf(() => true)).toEqual([]);
});

it('returns the guard that reads what a marked decorator sets', () => {
  const guard = () => true;
  const decorator = declareReader(() => undefined, {
    name: 'guard',
    matches: (one) => one === guard,
  });

  expect(readerOf(decorator)?.name).toBe('guard');
  expect([guard, () => true].filter((one) => readerOf(decorator)?.matches(one))).toEqual([guard]);
  expect(readerOf(() => undefined)).toBeUndefined();
});

it('recognizes marked handlers of WebSocket connections', () => {
  expect(isUpgrade(declareUpgrade(() => undefined))).toBe(true);
  expect(isUpgrade(() => undefined)).toBe(false);
});

it('describes middleware that only affects what is registered after it', () => {
  const json = declareUpstream(() => undefined, 'json()', true);
  expect(upstreamOf(json)).toEqual({ name: 'json()', isForHandlers: true });
  expect(upstreamOf(declareUpstream(() => undefined, 'cors()'))?.isForHandlers).toBe(false);
  expect(upstreamOf(() => undefined)).toBeUndefined();
});

it('knows the values that are marked as intended, frozen ones too', () => {
  const list = Object.freeze([]);

  expect(markIntended(list)).toBe(list);
  expect([list, Object.freeze([]), undefined, 'text'].map(isIntended)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('returns the slot of marked guards only', () => {
  expect(slotOf(declareSlot(() => true, 'limit'))).toBe('limit');
  expect([() => true, 'limit', Symbol('limit'), undefined].map(slotOf)).toEqual(
    Array(4).fill(undefined),
  );
});

it('recognizes applications with the option proxy', () => {
  const app = {};
  declareProxy(app);
  expect([app, {}].map(hasProxyOption)).toEqual([true, false]);
});

it('knows middleware that may respond to paths without a route', () => {
  const foreign = declareForeign(
    () => undefined,
    () => () => undefined,
  );
  expect([declareResponder(() => undefined), foreign, () => undefined].map(isResponder)).toEqual([
    true,
    true,
    false,
  ]);
});

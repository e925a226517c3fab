import { Buffer } from 'node:buffer';
import type { Issue } from '../../errors.ts';
import { shorten } from '../../input/parsing.ts';
import type { JsonValue } from './declaration.ts';

/** Lists and objects in each other. */
export const MAX_JSON_DEPTH = 16;

/** Code that copies objects would change prototypes. */
const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];

/** Bytes of a key in the path of an issue. */
const MAX_KEY_BYTES = 50;

/** Returns the first issue of a value that a JSON parser, or GraphQL, has returned. */
export const findJsonIssue = (value: unknown, maxBytes: number): Issue | undefined =>
  findContentIssue(value, []) ?? findSizeIssue(value, maxBytes);

export function findSizeIssue(value: unknown, maxBytes: number): Issue | undefined {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > maxBytes
    ? { path: [], message: `takes ${bytes} bytes as JSON, which is more than ${maxBytes}` }
    : undefined;
}

function findContentIssue(value: unknown, path: PropertyKey[]): Issue | undefined {
  switch (typeof value) {
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : { path, message: 'must be a smaller number' };
    case 'string':
      return value.isWellFormed() ? undefined : { path, message: 'must be well-formed Unicode' };
    case 'object':
      return value === null ? undefined : findMemberIssue(value, path);
    default:
      return { path, message: value === undefined ? 'is required' : 'must be a JSON value' };
  }
}

function findMemberIssue(value: object, path: PropertyKey[]): Issue | undefined {
  if (path.length === MAX_JSON_DEPTH) return { path, message: `is nested more than ${MAX_JSON_DEPTH} levels deep` };
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value)) {
    const memberPath = [...path, isList ? Number(name) : shorten(name.toWellFormed(), MAX_KEY_BYTES)];
    if (!isList && FORBIDDEN_KEYS.includes(name)) return { path: memberPath, message: 'is a key that is not allowed' };
    if (!name.isWellFormed()) return { path: memberPath, message: 'must be a key of well-formed Unicode' };
    const issue = findContentIssue(member, memberPath);
    if (issue) return issue;
  }
  return undefined;
}

/** RFC 7396: members of the patch replace those of the target, and null removes them. No key is `__proto__`. */
export function mergeJson(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name);
    else merged.set(name, mergeJson(merged.get(name), value));
  return Object.fromEntries(merged);
}

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

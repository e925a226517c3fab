import { describe, expect, test } from 'vitest';
import { newPerson } from '../../setup/test-data.ts';
import { bare, type Headers, UNKNOWN_ID } from './client.ts';

const PROBLEMS = { accept: 'application/json, application/problem+json' };

/** Tests one format, because problems are the same in both. */
describe('problems of RFC 9457', () => {
  const client = bare;

  const createBody = (headers: Headers) => client.create({ name: 'Ada' }, headers);

  test('an error is a problem if Accept lists application/problem+json', async () => {
    const { status, headers, json } = await createBody(PROBLEMS);
    expect({ status, headers }).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
    expect(json).toEqual({
      type: 'urn:user-management:problem:bad-user-input',
      title: 'The input is not valid',
      status: 400,
      detail: 'email: is required',
      code: 'BAD_USER_INPUT',
      issues: [{ path: ['email'], message: 'is required' }],
    });
  });

  test.each([
    'application/problem+json; charset=utf-8, application/json',
    'application/problem+json, application/json;q=0.9',
    'application/problem+json;q=0.5, application/json;q=0.5',
    'application/problem+json;q=0.5, */*;q=0.1',
  ])('with Accept: %s an error is a problem', async (accept) => {
    expect((await createBody({ accept })).headers).toMatchObject({ 'content-type': 'application/problem+json' });
  });

  test.each([
    undefined,
    'application/json',
    '*/*',
    'application/*',
    'application/json, application/problem+json;q=0',
    'application/json, application/problem+json;q=0.5',
    '*/*, application/problem+json;q=0.5',
  ])('with Accept: %s an error is an ordinary body', async (accept) => {
    const { headers, json } = await createBody(accept === undefined ? {} : { accept });
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    expect(json).toEqual({ error: 'email: is required', issues: [{ path: ['email'], message: 'is required' }] });
  });

  test('a successful response is JSON', async () => {
    const { status, headers } = await client.list({}, PROBLEMS);
    expect({ status, headers }).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
  });

  test('Accept without JSON is 406, as a problem if that is accepted', async () => {
    const { status, json } = await client.list({}, { accept: 'application/problem+json' });
    expect(status).toBe(406);
    expect(json).toMatchObject({ code: 'NOT_ACCEPTABLE', status: 406 });
    const rejected = await client.list({}, { accept: 'application/problem+json;q=0' });
    expect(rejected.json).toEqual({ error: 'Accept must allow application/json' });
  });

  test('a taken address is EMAIL_TAKEN and names the field, and the ordinary body has no issues', async () => {
    const { email } = await client.newUser();
    const body = { ...newPerson(), email };
    expect((await client.create(body, PROBLEMS)).json).toMatchObject({
      code: 'EMAIL_TAKEN',
      status: 409,
      issues: [{ path: ['email'], message: 'Another user has this email' }],
    });
    expect((await client.create(body)).json).toEqual({ error: 'Another user has this email' });
  });

  test('412 has the current version in ETag, also for DELETE', async () => {
    const { id } = await client.newUser();
    await client.update(id, { name: 'Changed' });
    for (const condition of [{ 'if-match': '"1"' }, { 'if-none-match': '"2"' }])
      for (const response of [
        await client.update(id, { name: 'Other' }, { ...condition, ...PROBLEMS }),
        await client.remove(id, { ...condition, ...PROBLEMS }),
      ]) {
        expect(response.headers).toMatchObject({ etag: '"2"' });
        expect(response.json).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
      }
  });

  test('an unsupported body is UNSUPPORTED_MEDIA_TYPE', async () => {
    const problem = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE', title: expect.any(String) };
    for (const header of [{ 'content-type': 'application/xml' }, { 'content-encoding': 'gzip' }])
      expect((await client.create(newPerson(), { ...header, ...PROBLEMS })).json).toMatchObject(problem);
  });

  test('an unknown id is NOT_FOUND', async () => {
    expect((await client.get(UNKNOWN_ID, PROBLEMS)).json).toMatchObject({
      code: 'NOT_FOUND',
      detail: 'User not found',
    });
  });

  test('an idempotency key with another body is IDEMPOTENCY_KEY_REUSED', async () => {
    const headers = { 'idempotency-key': 'problems', ...PROBLEMS };
    expect((await client.create(newPerson(), headers)).headers).not.toHaveProperty('idempotency-replayed');
    const reused = await client.create(newPerson(), headers);
    expect(reused.json).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', status: 422 });
  });
});

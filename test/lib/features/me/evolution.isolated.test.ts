import { expect, onTestFinished, test, vi } from 'vitest';
import { createContext } from '../../../../infra/local/runtime.ts';
import { createRestEvent } from '../../../setup/event.ts';
import { deploy } from '../../users/fields/deploy.ts';

const SUBJECT = { sub: { type: 'string', subject: true, self: 'hidden' } } as const;
const PLAN = { type: 'string', default: 'free', self: 'read' } as const;

async function load(name: 'get-me' | 'update-me', sub: string) {
  const { handler } = await import(`../../../../functions/${name}.ts`);
  const claims = { sub, iss: 'https://id.example.org', scope: 'users:self' };
  return async (headers: object = {}, body?: object) => {
    const authorization = `Bearer .${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
    const method = name === 'get-me' ? 'GET' : 'PATCH';
    const event = createRestEvent(method, '/v1/users', { body, headers: { authorization, ...headers } }, '/me');
    Object.assign(event.requestContext, { authorizer: { jwt: { claims: { sub }, scopes: ['users:self'] } } });
    return handler(event, createContext());
  };
}

test('a default or declaration that changes the record changes its ETag, but conditions of writes still hold', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const declarations = [
    SUBJECT,
    { ...SUBJECT, plan: PLAN },
    { ...SUBJECT, plan: { ...PLAN, default: 'pro' } },
    { ...SUBJECT, plan: { ...PLAN, self: 'hidden' } },
  ] as const;
  await (await deploy(SUBJECT)).add({ sub: 'ada' });
  const seen = new Map<string, string>();
  for (const fields of declarations) {
    const { environment } = await deploy(fields);
    vi.spyOn(environment, 'requiredAuthorizer', 'get').mockReturnValue('jwt');
    const [get, update] = [await load('get-me', 'ada'), await load('update-me', 'ada')];
    const { body, headers } = await get();
    expect(seen.get(headers.etag) ?? body).toBe(body);
    for (const other of seen.keys()) {
      expect((await get({ 'if-none-match': other })).statusCode).toBe(other === headers.etag ? 304 : 200);
      expect((await update({ 'if-match': other }, {})).statusCode).toBe(200);
    }
    seen.set(headers.etag, body);
  }
  expect(seen.size).toBe(3);
});

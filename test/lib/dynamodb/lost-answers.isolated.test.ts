import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { formatPostId, newPostKey } from '../../../lib/dynamodb/keys.ts';
import type { User } from '../../../lib/users/user.ts';
import { type Fault, startFaultProxy } from '../../setup/proxy.ts';
import { newPerson } from '../../setup/test-data.ts';

type Decide = () => Promise<Fault>;
let faults: Partial<Record<string, (Fault | Decide)[]>> = {};
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) => {
  const fault = faults[operation]?.shift();
  return typeof fault === 'function' ? fault() : fault;
});
afterAll(() => proxy.stop());

// The client reads the endpoint on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
const { ServiceError } = await import('../../../lib/errors.ts');
const { createUser } = await import('../../setup/create-user.ts');
const { updateUser, writeUsers } = await import('../../../lib/users/write.ts');
const { upsertUser } = await import('../../../lib/users/upsert.ts');
const { createEmailClaim } = await import('../../../lib/users/derived.ts');
const { deleteUser } = await import('../../../lib/users/delete.ts');
const { getUser } = await import('../../../lib/users/read.ts');
const { createPost, createPosts, deletePost, publishPost, updatePost } = await import('../../../lib/posts/write.ts');
const { newUser } = await import('../../../lib/users/user.ts');
const { returnUsers } = await import('../../../lib/users/return.ts');
const { listPosts } = await import('../../../lib/posts/read.ts');

beforeEach(() => {
  faults = {};
});

describe.each<[string, Fault]>([
  ['the answer is lost', 'loseAnswer'],
  ['the request is lost', 'loseRequest'],
])('when %s and the SDK retries,', (_, fault) => {
  test('a create makes one user and succeeds', async () => {
    faults = { TransactWriteItems: [fault] };
    const user = await createUser(newPerson());
    expect(await getUser(user)).toEqual(user);
  });

  test('an upsert makes one user, then replaces it once', async () => {
    const { email } = newPerson();
    const upsert = (name: string) =>
      upsertUser({ key: { field: 'email', claim: createEmailClaim(email) }, input: { name, email } }, 'test');
    faults = { TransactWriteItems: [fault] };
    const { user, outcome } = await upsert('Ada');
    expect(outcome).toBe('created');
    expect(await upsert('Ada')).toEqual({ user, outcome: 'unchanged' });
    faults = { TransactWriteItems: [fault] };
    expect(await upsert('Grace')).toMatchObject({ user: { id: user.id, version: 2 }, outcome: 'updated' });
  });

  test('a rename with If-Match succeeds and raises the version once', async () => {
    const { id } = await createUser(newPerson());
    faults = { TransactWriteItems: [fault] };
    expect(await updateUser({ id, name: 'Grace', ifVersion: [{ version: 1 }] }, 'test')).toMatchObject({
      name: 'Grace',
      version: 2,
    });
    expect(await getUser({ id })).toMatchObject({ name: 'Grace', version: 2 });
  });

  test('a change that touches no derived item succeeds and raises the version once', async () => {
    const { id, name } = await createUser(newPerson());
    faults = { UpdateItem: [fault] };
    const changed = { name: name.toUpperCase(), version: 2 };
    expect(await updateUser({ id, name: changed.name, ifVersion: [{ version: 1 }] }, 'test')).toMatchObject(changed);
    expect(await getUser({ id })).toMatchObject(changed);
    expect(faults.UpdateItem).toEqual([]);
  });

  test('a rename without If-Match raises the version once', async () => {
    const { id } = await createUser(newPerson());
    faults = { TransactWriteItems: [fault] };
    await updateUser({ id, name: 'Grace' }, 'test');
    // A client that repeats the request changes nothing.
    expect(await updateUser({ id, name: 'Grace' }, 'test')).toMatchObject({ name: 'Grace', version: 2 });
    expect(await getUser({ id })).toMatchObject({ name: 'Grace', version: 2 });
  });

  test('a change of email succeeds and raises the version once', async () => {
    const { id } = await createUser(newPerson());
    const { email } = newPerson();
    faults = { TransactWriteItems: [fault] };
    expect(await updateUser({ id, email, ifVersion: [{ version: 1 }] }, 'test')).toMatchObject({ email, version: 2 });
    expect(await getUser({ id })).toMatchObject({ email, version: 2 });
  });

  test('a delete of a user succeeds', async () => {
    const { id } = await createUser(newPerson());
    faults = { TransactWriteItems: [fault] };
    expect(await deleteUser({ id, ifVersion: [{ version: 1 }] }, 'test')).toEqual({ id });
    await expect(getUser({ id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('each write of a post succeeds and happens once', async () => {
    const { id: authorId } = await createUser(newPerson());
    faults = { TransactWriteItems: [fault, undefined, fault], UpdateItem: [fault, undefined, fault] };
    const { id } = await createPost({ authorId, title: 'On Engines' }, 'ada');
    expect(await updatePost({ id, title: 'On Looms' }, 'test')).toMatchObject({ title: 'On Looms', version: 2 });
    expect(await publishPost({ id }, 'test')).toMatchObject({ version: 3 });
    expect(await listPosts(authorId, {})).toMatchObject([{ id, title: 'On Looms', version: 3 }]);
    expect(await deletePost({ id }, 'test')).toEqual({ id });
    expect(await listPosts(authorId, {})).toEqual([]);
  });

  test('a move of a post to another author succeeds and happens once', async () => {
    const [former, next] = [await createUser(newPerson()), await createUser(newPerson())];
    const { id } = await createPost({ authorId: former.id, title: 'On Engines' }, 'ada');
    faults = { TransactWriteItems: [fault] };
    const moved = await updatePost({ id, authorId: next.id }, 'test');
    expect(moved).toMatchObject({ version: 2 });
    expect(await listPosts(former.id, {})).toEqual([]);
    expect(await listPosts(next.id, {})).toEqual([moved]);
  });
});

// DynamoDB executes such a request again. `withDeadline` prevents it, but not in a command of a laptop that slept.
describe('when a transaction is resent after its token has expired, it is written once:', () => {
  const title = 'On Engines';
  let [user, post] = [{ id: '', email: '' }, { id: '' }];
  const readUser = () => getUser({ id: user.id });
  const readPosts = (authorId = user.id) => listPosts(authorId, {});
  beforeEach(async () => {
    user = await createUser(newPerson());
    post = await createPost({ authorId: user.id, title }, 'ada');
  });

  test.each<[string, () => Promise<unknown>, () => Promise<unknown>, unknown]>([
    ['a rename', () => updateUser({ id: user.id, name: 'Grace' }, 'test'), readUser, { name: 'Grace', version: 2 }],
    ['a change of email', () => updateUser({ id: user.id, ...newPerson() }, 'test'), readUser, { version: 2 }],
    ['a creation of a post', () => createPost({ authorId: user.id, title }, 'test'), readPosts, [{ title }, { title }]],
    ['a deletion of a post', () => deletePost(post, 'test'), readPosts, []],
    ['a deletion', () => deleteUser(user, 'test'), () => readUser().catch(({ code }) => code), 'NOT_FOUND'],
  ])('%s', async (_, write, read, expected) => {
    faults = { TransactWriteItems: ['expireToken'] };
    await write().catch((error) => expect(error).toBeInstanceOf(ServiceError));
    expect(faults.TransactWriteItems).toEqual([]);
    const state = await read();
    if (typeof expected === 'string') expect(state).toBe(expected);
    else expect(state).toMatchObject(expected as object);
  });

  test('a creation', async () => {
    const person = newPerson();
    faults = { TransactWriteItems: ['expireToken'] };
    // The failed conditions do not show who wrote the user.
    await expect(createUser(person)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    const key = { field: 'email' as const, claim: createEmailClaim(person.email) };
    expect(await upsertUser({ key, input: person }, 'test')).toMatchObject({
      outcome: 'unchanged',
      user: { version: 1 },
    });
  });
});

test('an update with a lost answer does not overwrite a later one, even after a conflict', async () => {
  const { id: authorId } = await createUser(newPerson());
  const { id } = await createPost({ authorId, title: 'On Engines' }, 'ada');
  const afterAnother = async (): Promise<Fault> => {
    await updatePost({ id, title: 'On Looms' }, 'test');
    return 'conflict';
  };
  faults = { UpdateItem: ['loseAnswer', afterAnother] };
  await expect(updatePost({ id, title: 'On Cards' }, 'test')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(await listPosts(authorId, {})).toMatchObject([{ title: 'On Looms', version: 3 }]);
});

describe('when a taken address becomes free before a lost request arrives,', () => {
  test('a create does not return CONFLICT', async () => {
    const { id, email } = await createUser(newPerson());
    faults = { TransactWriteItems: ['delay'] };
    await expect(createUser({ name: 'Bob', email })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await deleteUser({ id }, 'test');
    expect(await proxy.arrive()).toEqual([200]);
  });

  test('a change of email does not return CONFLICT', async () => {
    const [{ id, email }, bob] = [await createUser(newPerson()), await createUser(newPerson())];
    faults = { TransactWriteItems: ['delay'] };
    await expect(updateUser({ id: bob.id, email }, 'test')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await deleteUser({ id }, 'test');
    expect(await proxy.arrive()).toEqual([200]);
    expect(await getUser(bob)).toMatchObject({ email, version: 2 });
  });
});

describe('when a deleted author returns before a lost request arrives,', () => {
  async function comeBack(user: User): Promise<void> {
    const outcomes = await returnUsers([{ create: () => ({ ...user, by: 'test' }) }]);
    expect(outcomes).toMatchObject([{ kind: 'written' }]);
  }

  test('creating a post does not return NOT_FOUND', async () => {
    const author = await createUser(newPerson());
    await deleteUser(author, 'test');
    faults = { TransactWriteItems: ['delay'] };
    const creating = createPost({ authorId: author.id, title: 'On Engines' }, 'ada');
    await expect(creating).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await comeBack(author);
    expect(await proxy.arrive()).toEqual([200]);
    expect(await listPosts(author.id, {})).toMatchObject([{ title: 'On Engines' }]);
  });

  test('importing posts does not return NOT_FOUND', async () => {
    const author = await createUser(newPerson());
    await deleteUser(author, 'test');
    faults = { TransactWriteItems: ['delay'] };
    const id = formatPostId(newPostKey(author.id, uuidv7()));
    const post = { id, authorId: author.id, title: 'On Engines', publishedAt: null, version: 1, by: 'test' as const };
    const times = { createdAt: author.createdAt, updatedAt: author.createdAt };
    const importing = createPosts(author.id, [{ ...post, ...times }]);
    await expect(importing).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await comeBack(author);
    expect(await proxy.arrive()).toEqual([200]);
    expect(await listPosts(author.id, {})).toMatchObject([{ id }]);
  });

  test.each(['former', 'next'] as const)('moving a post from or to the author does not (%s)', async (which) => {
    const authors = { former: await createUser(newPerson()), next: await createUser(newPerson()) };
    const { id } = await createPost({ authorId: authors.former.id, title: 'On Engines' }, 'ada');
    await deleteUser(authors[which], 'test');
    faults = { TransactWriteItems: ['delay'] };
    const moving = updatePost({ id, authorId: authors.next.id }, 'test');
    await expect(moving).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await comeBack(authors[which]);
    expect(await proxy.arrive()).toEqual([200]);
    expect(await listPosts(authors.next.id, {})).toMatchObject([{ title: 'On Engines' }]);
  });
});

describe('when DynamoDB throttles a request, which writes nothing,', () => {
  test('a create with a taken address is a CONFLICT', async () => {
    const { email } = await createUser(newPerson());
    faults = { TransactWriteItems: ['throttle', 'throttle'] };
    await expect(createUser({ name: 'Bob', email })).rejects.toMatchObject({ reason: 'EMAIL_TAKEN' });
  });

  test('a change to a taken address is a CONFLICT', async () => {
    const [{ email }, bob] = [await createUser(newPerson()), await createUser(newPerson())];
    faults = { TransactWriteItems: ['throttle'] };
    await expect(updateUser({ id: bob.id, email }, 'test')).rejects.toMatchObject({ reason: 'EMAIL_TAKEN' });
  });

  test('creates of several users name the taken address', async () => {
    const [ada, bob] = [await createUser(newPerson()), newPerson()];
    const writes = [bob, { name: 'Eve', email: ada.email }].map((input) => ({
      plan: () => ({ after: newUser(input, 'test') }),
    }));
    faults = { TransactWriteItems: ['throttle'] };
    expect(await writeUsers(writes)).toMatchObject([
      { kind: 'written', change: { after: bob } },
      { kind: 'taken', field: 'email', owner: { id: ada.id } },
    ]);
  });

  test('an update of a concurrently changed post is not SERVICE_UNAVAILABLE', async () => {
    const { id: authorId } = await createUser(newPerson());
    const { id } = await createPost({ authorId, title: 'On Engines' }, 'ada');
    const afterAnother = async (): Promise<Fault> => {
      await updatePost({ id, title: 'On Looms' }, 'test');
      return undefined;
    };
    faults = { UpdateItem: ['throttle', afterAnother] };
    expect(await updatePost({ id, title: 'On Cards' }, 'test')).toMatchObject({ title: 'On Cards', version: 3 });
  });
});

test('a create with a taken address is SERVICE_UNAVAILABLE after a lost answer, even if a throttle follows', async () => {
  const { email } = await createUser(newPerson());
  faults = { TransactWriteItems: ['loseRequest', 'throttle'] };
  await expect(createUser({ name: 'Bob', email })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('a write that fails with 500 may have succeeded', async () => {
  const { email } = await createUser(newPerson());
  faults = { TransactWriteItems: ['serverError'] };
  await expect(createUser({ name: 'Bob', email })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

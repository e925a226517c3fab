import { base, de, en, es, Faker, fr, pl, tr } from '@faker-js/faker';
import { v7 as uuidv7 } from 'uuid';
import { SYSTEM } from '../../lib/auth/caller.ts';
import { putItems } from '../../lib/dynamodb/batch.ts';
import { TableName } from '../../lib/dynamodb/client.ts';
import { formatPostId, type Item, newPostKey } from '../../lib/dynamodb/keys.ts';
import { createGroup } from '../../lib/features/groups/write.ts';
import { normalizeText } from '../../lib/input/text.ts';
import { split } from '../../lib/parallel.ts';
import { newPostItem } from '../../lib/posts/write.ts';
import { type Membership, membershipField } from '../../lib/users/fields/values.ts';
import { listUsers } from '../../lib/users/list.ts';
import { newUser } from '../../lib/users/user.ts';
import { listCreationItems } from '../../lib/users/write.ts';
import { createValueMaker } from '../own-fields/sample-values.ts';
import { disableStream } from './table.ts';

const SEED = 1815;
const LOCALES = [en, de, en, fr, en, es, en, pl, en, tr];
const MAX_POSTS = 4;
const PART = 50;
const YEAR_MS = 365 * 24 * 3_600_000;

/** `writtenAt`: a share of the time since the author's creation. 0 is the creation, 1 is now. */
type SamplePost = { title: string; writtenAt: number; isPublished: boolean };
type Person = { name: string; email: string; fields: Record<string, unknown>; posts: SamplePost[] };

/** A larger count leaves the first people unchanged. */
export function createPeople(count: number): Person[] {
  const createFakers = () => LOCALES.map((locale, at) => new Faker({ locale: [locale, en, base], seed: SEED + at }));
  // Separate generators: declaring a field leaves names and posts unchanged.
  const [fakers, fieldFakers] = [createFakers(), createFakers()];
  const pick = (from: Faker[], at: number) => from[at % from.length] ?? new Faker({ locale: en });
  const makeValues = createValueMaker();
  return Array.from({ length: count }, (_, at) => ({
    ...createPerson(pick(fakers, at), at),
    fields: makeValues(pick(fieldFakers, at)),
  }));
}

function createPerson(faker: Faker, at: number): Omit<Person, 'fields'> {
  const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
  const mailbox = normalizeText(`${firstName}.${lastName}`).replace(/[^\w.]/g, '');
  const times = Array.from({ length: faker.number.int({ max: MAX_POSTS }) }, () => faker.number.float());
  return {
    name: `${firstName} ${lastName}`,
    // RFC 2606 reserves these domains.
    email: `${mailbox}.${at + 1}@example.${faker.helpers.arrayElement(['com', 'org', 'net'])}`,
    posts: times.sort().map((writtenAt) => ({
      title: `How to ${faker.hacker.verb()} the ${faker.hacker.adjective()} ${faker.hacker.noun()}`,
      writtenAt,
      isPublished: faker.datatype.boolean(0.7),
    })),
  };
}

/**
 * Fills an empty table, and returns whether it was empty. Disables the stream: sample data is not a change, and streams
 * slow the embedded engine.
 */
export async function createSample(count: number, onProgress: (created: number) => void = () => {}): Promise<boolean> {
  if ((await listUsers({ limit: 1 })).users.length > 0) return false;
  await disableStream(TableName);
  const now = Date.now();
  onProgress(0);
  const createMemberships = await createGroups();
  let created = 0;
  for (const people of split(createPeople(count), PART)) {
    await putItems(
      people.flatMap(({ fields, ...person }, at) => {
        const joined = now - YEAR_MS * (1 - (created + at) / count);
        return createItems({ ...person, fields: { ...fields, ...createMemberships() } }, joined, now);
      }),
    );
    created += people.length;
    onProgress(created);
  }
  return true;
}

const MAX_GROUPS = 8;
const MEMBER_SHARE = 0.7;

/** Creates companies if the setting `groups` is on. The returned function makes the member `groups` of a user. */
async function createGroups(): Promise<() => { groups?: Membership[] }> {
  if (!membershipField) return () => ({});
  const { roles = [], maxItems = 1 } = membershipField;
  const faker = new Faker({ locale: [en, base], seed: SEED });
  const ids: string[] = [];
  for (let number = 1; number <= MAX_GROUPS; number++)
    ids.push((await createGroup({ name: faker.company.name(), externalId: `org_${number}` }, SYSTEM)).id);
  return () => {
    if (!faker.datatype.boolean(MEMBER_SHARE)) return {};
    const chosen = faker.helpers.arrayElements(ids, { min: 1, max: Math.min(2, maxItems) });
    // The first role is the most frequent one.
    return {
      groups: chosen.map((id) => ({
        id,
        role: roles[faker.datatype.boolean() ? 0 : faker.number.int(roles.length - 1)] ?? '',
      })),
    };
  };
}

function createItems({ name, email, fields, posts }: Person, joined: number, now: number): Item[] {
  const time = (milliseconds: number) => new Date(milliseconds).toISOString();
  const id = uuidv7({ msecs: Math.floor(joined) });
  const user = newUser({ name, email, ...fields }, SYSTEM, { id, createdAt: time(joined) });
  const puts = posts.map(({ title, writtenAt, isPublished }) => {
    const writtenMs = Math.floor(joined + (now - joined) * writtenAt);
    const key = newPostKey(id, uuidv7({ msecs: writtenMs }));
    const publishedAt = isPublished ? time(writtenMs) : null;
    const post = { id: formatPostId(key), authorId: id, title, publishedAt, version: 1, by: SYSTEM };
    return newPostItem(key, post, time(writtenMs));
  });
  return [...listCreationItems(user), ...puts].flatMap(({ Put }) => Put?.Item ?? []);
}

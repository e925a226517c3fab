import { base, de, en, es, Faker, fr, pl, tr } from '@faker-js/faker';
import { createPost } from '../../lib/posts/create.ts';
import { createUser } from '../../lib/users/create.ts';
import { listUsers } from '../../lib/users/list.ts';

/** So that everybody gets the same people. */
const SEED = 1815;
const MAX_POSTS = 4;
const LOCALES = [en, de, en, fr, en, es, en, pl, en, tr];
const AT_ONCE = 16;

type Person = { name: string; email: string; posts: { title: string; publishedAt?: Date }[] };

/** Believable people, the same for each number. */
export function createPeople(count: number): Person[] {
  const fakers = LOCALES.map((locale, at) => new Faker({ locale: [locale, en, base], seed: SEED + at }));
  return Array.from({ length: count }, (_, at) => {
    const faker = fakers[at % fakers.length] ?? new Faker({ locale: [en, base], seed: SEED });
    const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
    // Of a domain that belongs to nobody (RFC 2606), and unique by the number.
    const mailbox = `${firstName}.${lastName}`
      .normalize('NFKD')
      .replace(/[^\w.]/g, '')
      .toLowerCase();
    return {
      name: `${firstName} ${lastName}`,
      email: `${mailbox}.${at + 1}@example.${faker.helpers.arrayElement(['com', 'org', 'net'])}`,
      posts: Array.from({ length: faker.number.int({ max: MAX_POSTS }) }, () => ({
        title: faker.lorem.sentence({ min: 3, max: 8 }).replace(/\.$/, ''),
        ...(faker.datatype.boolean(0.7)
          ? { publishedAt: faker.date.past({ years: 2, refDate: '2026-01-01T00:00:00Z' }) }
          : {}),
      })),
    };
  });
}

/** Fills a database without users. Returns how many it created. */
export async function createSample(count: number): Promise<number> {
  if ((await listUsers({ limit: 1 })).users.length > 0) return 0;
  const waiting = createPeople(count);
  const createNext = async () => {
    for (let person = waiting.shift(); person; person = waiting.shift()) {
      const { posts, ...input } = person;
      const { id } = await createUser(input);
      for (const post of posts) await createPost({ authorId: id, ...post }, undefined);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, createNext));
  return count;
}

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parseLinks } from '../../../setup/links.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { fetchData } from '../../graphql/client.ts';
import { bare, clients, parseError, type Response } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/listed-fields.json';
});

type Fields = {
  plan?: string;
  tags?: string[];
  city?: string;
  isStaff?: boolean;
  age?: number;
  score?: number;
  birthday?: string;
  lastSeenAt?: string;
};
type Person = Fields & { id: string; name: string };

const FIRST_NAMES = ['Ada', 'Adam', 'Bea', 'Cleo'];
const CITIES = ['Köln', 'koln', 'Paris', undefined];

/** Chooses values so that some combinations have many users, some few, and some none. */
const createFields = (number: number): Fields => ({
  ...(number % 5 === 0 ? {} : { plan: number % 3 === 0 ? 'pro' : 'team' }),
  ...(number % 4 === 0 ? { tags: ['x', ...(number % 8 === 0 ? ['y'] : [])] } : {}),
  ...(CITIES[number % 4] ? { city: CITIES[number % 4] } : {}),
  ...(number === 17 || number === 90 ? { isStaff: true } : {}),
  ...(number % 6 === 0 ? {} : { age: number % 50 }),
  ...(number % 2 === 0 ? { score: (number % 7) - 3.5 } : {}),
  ...(number % 9 === 0 ? { birthday: `19${10 + (number % 80)}-02-03` } : {}),
  ...(number % 10 === 0 ? { lastSeenAt: `2026-01-${10 + (number % 19)}T12:00:00.000Z` } : {}),
});

const people: Person[] = [];

beforeAll(async () => {
  for (let number = 0; number < 120; number++) {
    const fields = createFields(number);
    const response = await bare.create({ ...newPerson(), name: `${FIRST_NAMES[number % 4]} ${number}`, ...fields });
    people.push({ plan: 'free', ...(response.json as Person) });
  }
}, 60_000);

afterAll(async () => {
  for (const { id } of people) await bare.remove(id);
});

type Condition = {
  /** Query of REST. */
  rest: string;
  /** Members of GraphQL's filter. */
  graphql: string;
  matches: (person: Person) => boolean;
};

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const conditions: Record<string, Condition> = {
  plan: { rest: 'plan=pro', graphql: 'plan: "pro"', matches: ({ plan }) => plan === 'pro' },
  plans: {
    rest: 'plan=free&plan=team&plan=free',
    graphql: 'plan: ["free", "team", "free"]',
    matches: ({ plan }) => plan !== 'pro',
  },
  tags: { rest: 'tags=x&tags=y', graphql: 'tags: ["x", "y"]', matches: ({ tags = [] }) => tags.length > 0 },
  staff: { rest: 'isStaff=true', graphql: 'isStaff: true', matches: ({ isStaff }) => isStaff === true },
  noStaff: {
    rest: 'isStaff.exists=false',
    graphql: 'isStaffRange: { exists: false }',
    matches: ({ isStaff }) => isStaff === undefined,
  },
  age: {
    rest: 'age.gte=10&age.lt=30',
    graphql: 'ageRange: { gte: 10, lt: 30 }',
    matches: ({ age = -1 }) => age >= 10 && age < 30,
  },
  noAge: { rest: 'age.exists=false', graphql: 'ageRange: { exists: false }', matches: ({ age }) => age === undefined },
  score: {
    rest: 'score.gt=-2.5&score.lte=0.5',
    graphql: 'scoreRange: { gt: -2.5, lte: 0.5 }',
    matches: ({ score }) => score !== undefined && score > -2.5 && score <= 0.5,
  },
  city: {
    rest: 'city.gte=KOLN&city.lt=l',
    graphql: 'cityRange: { gte: "KOLN", lt: "l" }',
    matches: ({ city = '' }) => fold(city) === 'koln',
  },
  seen: {
    rest: 'lastSeenAt.gte=2026-01-20T13:00:00%2B01:00',
    graphql: 'lastSeenAtRange: { gte: "2026-01-20T13:00:00+01:00" }',
    matches: ({ lastSeenAt = '' }) => lastSeenAt >= '2026-01-20T12:00',
  },
  birthday: {
    rest: 'birthday.lt=1950-01-01',
    graphql: 'birthdayRange: { lt: "1950-01-01" }',
    matches: ({ birthday = '9' }) => birthday < '1950',
  },
};

/** Conditions that need another one. */
const DEPENDENT = ['noStaff'];

const readUsers = ({ json }: Response): Person[] => {
  const { data = json } = json as { data?: unknown };
  return data as Person[];
};

const combinations = Object.keys(conditions).flatMap((one, at, names) => [
  ...(DEPENDENT.includes(one) ? [] : [[one]]),
  ...names.slice(at + 1).map((other) => [one, other]),
  ...names.slice(at + 1).map((other, step) => [one, other, names[(at + step + 3) % names.length] ?? '']),
]);

const isSorted = (names: readonly string[]) =>
  names.some((name) => ['age', 'noAge', 'score', 'city', 'seen', 'birthday'].includes(name));

describe.each(clients)('$path', (client) => {
  const readAll = async (query: string) => {
    const found: Person[] = [];
    let next: Record<string, string> | undefined = Object.fromEntries(new URLSearchParams(query));
    let rawQueryString: string | undefined = query;
    let total: string | undefined;
    while (next) {
      const response: Response = await client.list(next, { prefer: 'count=exact' }, rawQueryString);
      expect(response.status, `${rawQueryString} ${JSON.stringify(response.json)}`).toBe(200);
      found.push(...readUsers(response));
      total ??= String(response.headers['x-total-count']);
      next = parseLinks(response).next?.query;
      rawQueryString = undefined;
    }
    return { found, total };
  };
  void readAll;
});

void [combinations, isSorted, fetchData, parseError];

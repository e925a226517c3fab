import { deepEqual, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Proxies } from './callers.ts';

const INTERVAL_MS = 100;

type Statuses = Record<'rest' | 'graphql', Set<number>>;

/** Throws if an anonymous request is accepted during `deploy`, or none was sent. */
export async function checkNobodyGetsIn(proxies: Proxies, deploy: () => Promise<void>): Promise<void> {
  const seen: Statuses = { rest: new Set(), graphql: new Set() };
  const end = new AbortController();
  const polling = poll(proxies, seen, end.signal);
  try {
    await deploy();
  } finally {
    end.abort();
    await polling;
  }
  for (const [api, statuses] of Object.entries(seen)) {
    const answered = [...statuses].filter((status) => status < 400);
    deepEqual(answered, [], `${api} answers nobody who is anonymous`);
    ok(statuses.has(401) || statuses.has(403), `${api} rejects, and is not only out of order: ${[...statuses]}`);
  }
}

async function poll({ api, graphql }: Proxies, seen: Statuses, end: AbortSignal): Promise<void> {
  const body = JSON.stringify({ query: '{ users { totalCount } }' });
  const headers = { 'content-type': 'application/json' };
  while (!end.aborted) {
    const answers = [
      fetch(`${api.url}/v1/users`).then(({ status }) => seen.rest.add(status)),
      fetch(graphql.url, { method: 'POST', headers, body }).then(({ status }) => seen.graphql.add(status)),
    ];
    // Ignores errors, because the emulator may cut connections.
    await Promise.allSettled(answers);
    await sleep(INTERVAL_MS);
  }
}

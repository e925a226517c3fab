import { expect, test } from 'vitest';
import { findDynoxide } from '../../../infra/local/database/engine.ts';
import { startDatabase } from '../../../infra/local/database/start.ts';
import { readOptions } from '../../../infra/local/options.ts';
import { type Fault, startFaultProxy } from '../../setup/proxy.ts';

const isEmbedded = findDynoxide({ host: '127.0.0.1', port: 1 }) !== undefined;

test.runIf(isEmbedded)(
  'transactions to the embedded engine have no tokens and are not retried after a lost response',
  async () => {
    const { stop, ...database } = await startDatabase();
    const transactions: string[] = [];
    let fault: Fault;
    const proxy = await startFaultProxy(database.endpoint, (operation, body) => {
      if (operation !== 'TransactWriteItems' || !body.includes('EMAIL#')) return undefined;
      transactions.push(body);
      return fault;
    });
    const { startService } = await import('../../../infra/local/service.ts');
    const options = readOptions(['--memory', '--port', '0']);
    const service = await startService(options, {
      database: { ...database, endpoint: proxy.url, stop: async () => {} },
    });
    const create = async (name: string) => {
      const body = JSON.stringify({ name, email: `${name}@example.org` });
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`${service.url}/v1/users`, { method: 'POST', headers, body })).status;
    };
    expect(await create('Ada')).toBe(201);
    fault = 'loseAnswer';
    expect(await create('Grace')).toBe(503);
    fault = undefined;
    expect(await create('Grace')).toBe(409);
    expect(transactions.map((body) => /Ada|Grace/.exec(body)?.[0])).toEqual(['Ada', 'Grace', 'Grace']);
    expect(transactions.filter((body) => body.includes('ClientRequestToken'))).toEqual([]);
    await service.stop();
    await proxy.stop();
    await stop();
  },
);
